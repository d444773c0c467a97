/** The words in plain-text reports of mail systems, by meaning, in many languages. Patterns that ignore case. */

/** Matches the subjects of reports, whole or in part. */
export const REPORT_SUBJECTS: readonly string[] = [
  // English
  '^(?:re: )?undeliver(?:able|ed|y)|undelivered mail returned',
  '^mail delivery (?:failed|failure|error|system|status|problem|subsystem|report|delayed|deferred)',
  '^(?:message )?delivery (?:status )?(?:notification|failure|failed|report|error|problem|status|delay|unsuccessful)',
  '^returned (?:mail|message|email|e-mail|to sender)|^return(?:ed)? to sender',
  '^fail(?:ed|ure)[ -](?:notice|delivery|mail|message|to deliver|notification)',
  '^failure (?:notice|delivery|notification)|^(?:report: )?non[ -]?(?:delivery|delivered|deliverable|remis)',
  '^(?:your )?(?:mail|message|e-?mail) (?:could not be|cannot be|can not be|was not|has not been|not|is not) ' +
    '(?:delivered|deliverable|sent)',
  '^(?:mail|message|e-?mail) (?:system )?(?:error|failure|bounced|undeliverable|rejected|returned|delivery)',
  'mail system error|returned mail',
  '^\\[?bounced?\\b|^nondeliverable|^unable to deliver|^(?:permanent|temporary|final|fatal) (?:delivery ' +
    ')?(?:failure|error)|^undeliverable message|could not (?:be )?(?:deliver|send)(?:ed)?|^delivery has ' +
    '(?:failed|been delayed)|message you sent (?:could|was|has|blocked|rejected)|^your (?:mail|message|' +
    'e-?mail) .{0,80}(?:blocked|rejected|refused|bounced|undeliver)|^message expired|^(?:mail|message|e-?mail) ' +
    '(?:was |has been )?(?:blocked|refused|quarantined)\\b',
  '^sorry, your message could not be|^postmaster notify|^notice: mail delivery status',
  '^automatically rejected mail',
  '^(?:warning|notice): (?:message|could not send|mail|e-?mail).*(?:delayed|delivered|queue|past|send|hours)',
  '^user unknown|^mailbox (?:full|unavailable|is full)|^over ?quota|^message (?:delayed|not sent|status)',
  '^delayed mail|still being retried|mail delivery failed|message delivery failure|delivery failure',
  '^considered unsolicited bulk|^banned contents from you|^(?:virus|infected).*from you|^unsolicited bulk email',
  '^(?:your )?message (?:was |has been )?(?:blocked|quarantined|refused|rejected|held)',
  '^rejected (?:mail|message|posting|member article)|^spam (?:mail )?rejected|^ignored not member article',
  '^error: you are not a member|^you are not (?:a )?member|request (?:to mailing list )?\\S{1,60} rejected',
  'delivery notification: delivery|^dsn\\b|^ndr\\b|^ndn\\b',
  // German
  'unzustellbar|nicht zugestellt|zustellung (?:fehlgeschlagen|nicht möglich|gescheitert|verzögert|verweigert)',
  'zustellungs?(?:fehler|problem|bericht|status)|unzustellbarkeit|nicht zustellbar|rücksendung',
  'fehler bei der (?:zustellung|übermittlung)|konnte nicht (?:zugestellt|gesendet)',
  // French
  'non remis|non distribu|échec de (?:la )?(?:remise|livraison|distribution)',
  '(?:remise|distribution|livraison) (?:différée|impossible|retardée)|notification d.état de remise',
  'n.a pas pu être (?:remis|distribu|livr|envoy)|échec d.envoi|retour à l.expéditeur|message non délivré',
  'avis de non.(?:remise|livraison)',
  // Spanish, Portuguese, Italian, Catalan
  'no se (?:ha )?(?:puede|pudo|podido) entregar|no entregad|no se ha podido entregar|error (?:de|en la) entrega',
  'notificación de estado de (?:la )?entrega|entrega (?:fallida|retrasada)|fallo (?:de|en la) entrega',
  'correo devuelto|mensaje devuelto|correo no entregado',
  'não (?:entregue|foi entregue|pôde ser entregue|é possível entregar)|não entregável',
  'notificação de (?:status|estado) de entrega|falha (?:na|de) entrega|falha no envio|mensagem devolvida',
  'não foi possível entregar|entrega (?:atrasada|falhou)',
  'non recapitabile|mancato recapito|consegna (?:fallita|non riuscita|ritardata|impossibile)',
  'impossibile (?:recapitare|consegnare)|mancata consegna|notifica sullo stato del recapito|errore di consegna',
  'avviso di mancata consegna|no lliurat',
  // Dutch, Nordic, Finnish
  'onbestelbaar|niet (?:bezorgd|afgeleverd|bestelbaar)|bezorging (?:mislukt|vertraagd)|status van bezorging',
  'niet worden bezorgd|kan niet worden (?:bezorgd|afgeleverd)',
  'kunde inte levereras|oleverbar|gick inte att leverera|ej levererad|leveransfel|olevererat|leveransstatus',
  'kan ikke leveres|kunne ikke leveres|går inte att leverera|leverans(?:en)? misslyckades|går ikke an å levere',
  'ikke levert|ikke leveret|uleverbar|leveringsfeil|levering mislykkedes|toimitus (?:epäonnistui|viivästyi)',
  'toimittamaton|ei voitu toimittaa|ei voi toimittaa|viestiä ei',
  // Slavic, Baltic, Hungarian, Romanian
  'nie można dostarczyć|niedostarczon|nie dostarczono|nie został(?:a|o)? dostarczon|błąd dostar',
  'nedoručiteln|nedoručen|nelze doručit|nebylo možné doručit|nedoručiteľn|nedalo sa doručiť',
  'chyba při doručování|kézbesíthetetlen|nem kézbesíthető',
  'kézbesítés(?:i|e)? (?:hiba|sikertelen|késik)|sikertelen kézbesítés|nelivrat',
  'nu (?:a putut fi|poate fi) (?:livrat|trimis)|livrare (?:eșuată|esuata)|neisporučen|nedostavljen',
  'nije isporučen|ni bilo mogoče dostaviti|nedorucen',
  'не ?доставлен|недоставлен|не уда(?:лось|ется|ётся) доставить',
  'не может быть доставлен|ошибка доставки',
  'возврат(?:ено)? (?:почты|письма|сообщения)',
  'уведомление о (?:состоянии )?доставк|сбой доставки',
  'не ?доставлено|недоставк|не вдалося доставити',
  'помилка доставки|доставка не (?:удалась|вдалася)',
  'неуспешна доставка|недоставен',
  // Turkish, Greek, Semitic
  'teslim edilemedi|teslim edilmedi|iletilemedi|ulaştırılamadı|teslimat (?:başarısız|hatası)',
  'teslim edilemeyen|iletilemeyen|αδυναμία παράδοσης|δεν παραδόθηκε',
  'δεν ήταν δυνατή η παράδοση|αποτυχία παράδοσης|μη παραδοτέο',
  'تعذر (?:ال)?(?:تسليم|إرسال)|غير قابل للتسليم|لم يتم تسليم',
  'فشل (?:تسليم|التسليم)|לא ניתן (?:היה )?למסור|לא ניתן למסירה',
  'הודעה לא נמסרה|כשל במסירה|غیرقابل تحویل',
  // East Asia
  '(?:配信|配達|送信)(?:不能|不可|失敗|エラー|遅延|できません|に失敗)',
  '(?:配信|配達|送信|お届け)(?:する|は|が)?(?:こと)?(?:が)?(?:でき|出来)(?:ません|なかった)',
  '未配信|不達|エラーメール|送信できません',
  'メールの?(?:配信|送信).{0,6}(?:失敗|エラー)|返送|配信状態|配送(?:不能|失敗)',
  '配信不能',
  '退信|退件',
  '(?:投递|投遞|发送|發送|递送|傳送|传送|送达|送達|寄送)(?:失败|失敗|不成功|延迟|延遲|错误|錯誤)',
  '无法(?:投递|送达|传递|发送|递送)|無法(?:投遞|送達|傳遞|傳送|寄送)|未送达|未送達',
  '未傳遞|未传递|系统退信|邮件被退回|郵件被退回',
  '(?:메일|배달|전송|발송|전달|송신)(?:이|을|를)?\\s?(?:되지 않음|실패|할 수 없|지연|불가|오류|되지 못)',
  '반송|배달되지 않|전달할 수 없|보내지 못|수신불가',
  'không (?:thể )?(?:gửi|chuyển|phân phối)|thư không gửi được|gửi thất bại',
  'tidak (?:dapat )?(?:terkirim|dikirim)|gagal (?:terkirim|dikirim|mengirim)',
  'ส่งไม่(?:ได้|สำเร็จ)|ไม่สามารถส่ง',
];

/** Sentences of the reports' bodies. */
export const REPORT_TEXTS: readonly string[] = [
  // qmail, ezmlm and their heirs
  'this is the (?:qmail|mail delivery|mail system|postfix|machine generated|ezmlm|dragonfly|mail transfer|' +
    'mailer-daemon)',
  "i'm afraid i wasn't able to deliver|i wasn't able to deliver your message|this is a permanent error",
  "i've given up|i'm not going to try again|below this line is a copy of the (?:message|mail header)",
  'this is the (?:program|sending) .{0,40} at',
  // Postfix, Exim, Sendmail, Courier, OpenSMTPD
  'could ?not ?be ?delivered to one or more (?:of its )?recipients|i.m sorry to have to inform you',
  'a message that you (?:have )?sent could not be delivered|a message that you sent (?:has not yet been|using)',
  'could not be delivered to (?:one or more|all|any|the following|mobile)',
  'this message was created automatically by (?:the )?(?:mail|smtp)',
  'the following address(?:\\(es\\)|es)? (?:failed|had)',
  '(?:the )?following address(?:es)? had (?:permanent|fatal|transient|delivery)',
  'transcript of (?:the )?session follows|permanent fatal errors',
  'had (?:permanent|transient|delivery) (?:fatal|non-fatal|problems)|the original message was received at',
  'unrecoverable error|message headers follow|undelivered[- ]message',
  'this is a delivery status notification|automatically generated delivery status',
  'delivery to the following recipients? (?:has been delayed|failed)',
  '(?:the )?delivery of (?:this|your|the) (?:mail|message|e-?mail).{0,40}(?:failed|has been|could|was)',
  'an error (?:has )?occurred while (?:attempting|trying) to deliver|there was an error delivering',
  'unable to deliver (?:your|the|a|this|message|mail|to)|was(?:n.t| not) able to (?:be )?deliver',
  '(?:could|can|was|were)(?:n.t| ?not) (?:be )?(?:deliver|reach|transmit)|not delivered to|wasn.t delivered',
  'delivery (?:has )?failed|failed to deliver|delivery failure|message delivery has been delayed|delivery attempt',
  // Exchange, Outlook, Domino, Groupwise, IMail and gateways
  'did not reach (?:some or all of )?(?:the|its) (?:intended )?recipient',
  '(?:the )?following (?:recipient|address|organi[sz]ation|destination|user|mailbox)(?:\\(s\\)|s)? (?:could|' +
    'can)(?:not| not) be reached',
  'couldn.t be delivered|delivery has failed to these recipients|diagnostic information for administrators',
  'generating server:|your message wasn.t delivered|non-?delivery (?:report|notification)|was not delivered to',
  'undeliverable (?:message|mail|to)',
  'your (?:message|mail|e-?mail).{0,200}(?:could not be|cannot be|can not be|was not|has not been|couldn.t ' +
    'be|was undeliverable|was rejected|has been rejected|was blocked|bounced)',
  '(?:failure|failed) reasons?|returned message|reason:? unable to|each of the following recipients was rejected',
  '(?:the )?following recipients? (?:were|was|are) (?:affected|rejected|undeliverable)',
  '(?:the )?following (?:mail|message|e-?mail) could not be|recipients? (?:were|was) (?:rejected|not reached)',
  'invalid final delivery userid',
  'message (?:will be|has been|was) (?:retried|delayed|returned|rejected|blocked|bounced|undeliverable)',
  'has not yet been delivered|still (?:undelivered|being retried|trying)',
  'will (?:be retried|continue to try|keep trying)|warning message only|do not need to resend',
  'retry timeout exceeded|has been in (?:the|its|our) queue|not been able to deliver|undeliverable after',
  '(?:queue|time) ?(?:lifetime|limit|d ?out)|message expired',
  'unsolicited bulk e?mail|banned (?:name|contents?)|was infected|contained? (?:a )?virus',
  'content (?:filter|scanner)',
  '(?:message |mail )?(?:was |has been )(?:rejected|blocked|refused|quarantined) (?:by|because|due|as|for)',
  'message (?:rejected|blocked|refused|quarantined) (?:by|because|due|as|for)|has not been delivered',
  'policy (?:violation|rejection)|not a member of (?:this|the) (?:list|group|mailing)',
  'original message (?:follows|headers|details|info)|original mail info|message details',
  'smtp (?:error|protocol|reply|code)',
  'remote (?:host|server|mta|mail) (?:said|replied|returned|responded|response|answer)',
  'technical (?:details|report)',
  // German, French, Spanish, Portuguese, Italian, Dutch, Nordic
  'konnte (?:leider )?nicht (?:an .{0,80})?(?:zugestellt|ausgeliefert|gesendet|übermittelt)',
  'nicht zugestellt werden|unzustellbar|nicht erreicht|zustellung .{0,60}(?:fehlgeschlagen|nicht möglich)',
  'empfänger .{0,40}(?:unbekannt|nicht gefunden)',
  'n.a pas (?:pu être|été) (?:remis|distribu|livr|transmis|délivr|envoy)|n.ont pas pu être',
  'échec de la remise|destinataires? (?:inconnu|suivants?)|non remis',
  'boîte (?:aux lettres|de réception|mail) (?:pleine|est pleine)',
  'no (?:se )?(?:ha |han )?(?:podido|pudo|puede) (?:ser )?(?:entreg|enviar)|no (?:ha )?(?:sido )?entregad',
  'destinatario (?:desconocido|no existe)|não (?:pôde|pode|foi|foram) (?:ser )?(?:possível )?(?:entreg|enviad)',
  'falha (?:na|de) entrega',
  'non (?:è stato possibile|è stato|può essere|ha raggiunto|ha potuto).{0,40}(?:recapit|consegn|inviat|' +
    'destinatari)',
  'impossibile (?:recapitare|consegnare)|(?:kon|kan|konden) niet (?:worden )?(?:bezorg|aflever|afgelever)',
  'niet (?:worden )?(?:bezorgd|afgeleverd)|(?:kunde|kan|kunne) (?:inte|ikke) (?:bli )?lever',
  'toimit(?:taa|us|ettu).{0,40}(?:epäonnistui|ei)|ei voitu toimittaa|leverans(?:en)? misslyckades',
  'levering(?:en)? mislyk',
  // Slavic, Hungarian, Romanian, Turkish, Greek
  'nie (?:mogła|mógł|można|został).{0,60}dostarcz|nebyl[ao]? .{0,30}doručen|nelze doručit',
  'nebolo možné doručiť|nem (?:sikerült|lehetett) .{0,40}kézbesíteni|nu a putut fi livrat',
  'не (?:может|могло|было|удалось|доставлен|смогло)\\S{0,10} .{0,60}доставл',
  'не уда(?:лось|ется|ётся) доставить|сбой доставки',
  'ошибка доставки|не доставлено|невозможно доставить',
  'недоставленн|не вдалося доставити|не може бути доставлен',
  'teslim edilemedi|iletilemedi|δεν (?:ήταν δυνατή|μπορεί|παραδόθηκε)',
  // East Asia, Arabic, Hebrew, Vietnamese
  '(?:送信|配信|配達|送達|お届け|転送).{0,12}(?:できません|出来ません|できなかった|失敗|不能|エラー|不可)',
  '宛先.{0,20}(?:見つかりません|存在しません|不明)|メールアドレスが見つかりません',
  '自動的に生成.{0,30}メール',
  '(?:投递|投遞|发送|發送|送达|送達|传递|傳遞|遞送|递送|寄送)(?:失败|失敗|不成功)',
  '(?:无法|無法|不能|未能)(?:被)?(?:投递|投遞|发送|發送|送达|送達|传递|傳遞|遞送|递送|寄送|投送)',
  '退信|被退回|退回给您|收件人.{0,20}不存在',
  '(?:배달|전송|발송|전달|송신)(?:되지|하지|할 수|이 실패|에 실패|실패)|반송',
  'لم (?:يتم|نتمكن من) .{0,20}(?:تسليم|إرسال)|لא ניתן|לא נמסרה',
  'המסירה .{0,60}נכשלה|không (?:thể )?(?:gửi|chuyển|được gửi)',
];

/** The message is still on its way. */
export const DELAY_TEXTS: readonly string[] = [
  '\\bdelayed\\b|\\bdelay\\b|warning message only|(?:do|need) not (?:need to )?resend|not yet been delivered',
  'has not (?:yet )?been (?:able|delivered) .{0,60}yet|will be retried|will (?:continue|keep) (?:to )?try',
  'still (?:undelivered|being retried|trying|in queue)|delivery attempts will continue|no action is required',
  'could not send message for (?:the )?past|temporarily deferred|message is still|will try again|further attempts',
  'retry for|being retried|transient non-fatal',
  'verzöger|weitere zustellversuche|différée|retardée|nouvelles tentatives|retrasad|demorad|atrasad|adiad',
  'ritard|differit|vertraagd|fördröj|forsink|viivästy|opóźnion|zpožděn|oneskoren|késik|késleltet',
  'întârziat|задерж|отложен|затриман|gecik|καθυστέρ|遅延|遅れ|延迟|延遲',
  '지연|تأخر|תעכב|עיכוב|chậm|tertunda',
];

/** The message will not arrive. These words outweigh those of a delay. */
export const FINAL_TEXTS: readonly string[] = [
  'permanent(?:ly)?(?: fatal)? (?:error|failure|fail)|fatal errors|given up|giving up|not going to try again',
  'has failed|delivery failed|returning (?:your )?message|returned to sender|retry timeout exceeded',
  'has been in (?:the|its|our) queue too long|could not be delivered for|cannot be delivered|message expired',
  'undeliverable|user unknown|failed permanently|permanent error',
];

/** Why a mail server refused. People write these words too, so they add little to the score. */
export const REASON_TEXTS: readonly string[] = [
  'mail(?:box)? (?:is )?(?:full|over ?quota|disabled|unavailable|inactive)',
  'user(?: is)? (?:unknown|not (?:found|known|listed|exist))',
  '(?:unknown|no such|invalid|unrouteable|unroutable|undeliverable) (?:user|recipient|mailbox|address|' +
    'account|domain|host)',
  'recipient (?:unknown|not found|rejected|address rejected)|mailbox (?:does not exist|not found|unavailable)',
  'host (?:or domain )?(?:name )?not found|account (?:has been )?(?:disabled|suspended|inactive)|does not exist',
  'relay(?:ing)? (?:denied|not permitted)|over (?:its )?quota|quota exceeded|message size exceeds',
  'too many (?:hops|recipients)|mail loop',
  'deferred|giving up|error_code|unbekannter (?:empfänger|benutzer)|postfach (?:ist )?voll|utilisateur inconnu',
  'usuario desconocido|utente sconosciuto|пользователь не найден',
  'ящик (?:переполнен|не существует)|ユーザ.{0,6}(?:不明|存在しません)',
  '用户不存在|邮箱(?:已满|不存在)',
];

/** How the subjects of automatic answers begin, in words that people hardly write. */
export const ANSWER_SUBJECTS: readonly string[] = [
  '(?:re: )?(?:auto(?:matic|mated|mat)?[- ]?(?:reply|response|responder|answer)|automatically generated reply|' +
    'out of (?:the )?office (?:auto[- ]?)?(?:reply|response|notification|message)|' +
    'vacation (?:reply|notice|message))',
  '(?:automatische antwort|abwesenheits\\p{L}*|réponse automatique|message d.absence|respuesta automática|' +
    'resposta automática|risposta automatica)',
  '(?:automatisch antwoord|afwezigheids\\p{L}*|autosvar|automatiskt svar|automatisk svar|' +
    'automaattinen vastaus|autoodpowiedź|automatyczna odpowiedź|odpowiedź automatyczna|automatická ' +
    'odpověď|automatická odpoveď|automatikus válasz|răspuns automat|автоответ|' +
    'автоматический ответ|автоматична відповідь|otomatik yanıt|' +
    'αυτόματη απάντηση)',
  '(?:自動応答|自動返信|不在通知|自动回复|自動回覆|自動回復|자동 ?회신|자동 ' +
    '?응답|رد تلقائي|תשובה אוטומטית|trả lời tự động|balasan otomatis|' +
    'ตอบกลับอัตโนมัติ)',
];

/** How subjects begin that say that somebody is away. People write these words too. */
export const ABSENCE_SUBJECTS: readonly string[] = [
  '(?:re: )?(?:out of (?:the )?office|ooo|away from (?:the )?(?:office|my (?:mail|desk))|on (?:vacation|holiday|' +
    'leave)|i am (?:away|out of)|away (?:until|from|till))',
  '(?:abwesen(?:d|heit)|nicht im büro|absence du bureau|absent(?:e)? du bureau|fuera de (?:la )?oficina|' +
    'fora do escritório|ausência|fuori (?:sede|ufficio)|afwezig(?:heid)?|frånvaro|fravær|poissa)',
];

/** How the subjects of vacation notes and other automatic answers begin. */
export const AWAY_SUBJECTS: readonly string[] = [...ANSWER_SUBJECTS, ...ABSENCE_SUBJECTS];

/** Subjects that name the absent person: Lotus Notes writes "AUTO: Smith, John is out of the office". */
export const NAMED_ABSENCE_SUBJECTS: readonly string[] = [
  'is (?:currently )?(?:out of (?:the )?office|out of town|on (?:vacation|holiday|leave)|away)',
  'will be out of (?:the )?office|ist (?:außer haus|nicht im (?:büro|haus)|abwesend|im urlaub)',
  'est (?:absent|en congé)|está (?:ausente|fora|fuera)|è (?:assente|fuori)|is afwezig|' +
    'jest nieobecn|är inte på kontoret',
  '\\((?:returning|rückkehr|retour|de retour|regreso|ritorno|terug)\\b',
];

/** How people announce their absence, in the text. */
export const ABSENCE_TEXTS: readonly string[] = [
  '(?:out of|away from|not in) (?:the |my )?office|out of town|on (?:\\S{1,20} )?(?:vacation|holidays?|leave)\\b',
  '(?:limited|no) access to (?:my )?e?-?mails?|(?:will|shall) (?:be back|return)|away (?:until|till)',
  'automatic(?:ally generated)? (?:reply|response|answer)|nicht (?:im|am) (?:büro|hause?|arbeitsplatz)|außer haus',
  'im urlaub|abwesen|wieder (?:im büro|erreichbar|für sie da)|automatische antwort',
  'absente? (?:du|de|jusqu)|en congés?|de retour|réponse automatique',
  'fuera de (?:la )?oficina|de vacaciones|estaré ausente|respuesta automática|fora do escritório|de férias|ausente',
  'fuori (?:ufficio|sede)|in ferie|assente|risposta automatica|afwezig|met vakantie|niet (?:op kantoor|aanwezig)',
  'semester|på ferie|föräldraledig|inte på kontoret|ikke på kontoret|lomalla|poissa|urlopie|nieobecn',
];
