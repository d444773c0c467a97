/**
 * The words with which mail clients mark quotes, by meaning, in many languages.
 * They come from the clients' own translations (Outlook, Exchange, Gmail, Apple Mail, Thunderbird, Yahoo, Samsung,
 * Yandex, Mail.ru, QQ, Seznam, Zoho). One list covers all languages, because a thread may mix them.
 */

/** "wrote" as in "On … X wrote:". */
export const WROTE_WORDS: readonly string[] = [
  'wrote|writes|has written|said|says|typed|posted',
  'schrieb|schrieb am|schreibt|geschrieben|schriebst',
  'a écrit|a ecrit|écrit|écrivait|ecrivait|avez écrit|a écris',
  'escribió|escribio|ha escrito|escribía|va escriure|ha escrit|escribiu|idatzi zuen',
  'escreveu|escreveram|escrito|ha scritto|scritto|scrisse|scrive',
  'schreef|geschreven|schrijft|skreiv|skrev|skrifaði|het volgende geschreven|het geskryf|geskryf',
  'kirjoitti|kirjutas|rakstīja|rašė|parašė',
  'napisał|napisała|napisał\\(a\\)|napisał/a|pisze|napisano|napisana|napisana przez',
  'napsal|napsala|napsal\\(a\\)|napsal/a|píše|napísal|napísala|napísal\\(a\\)|napísal/a',
  'napisao|napisala|napisao/la|napisal|napisal\\(a\\)|napisala|написао|написао/ла',
  'írta|írt|ezt írta|a következőt írta|a scris|scria|scrie',
  'написал|написала|написал\\(а\\)|написали|пишет|писал|писала',
  'писал\\(а\\)',
  'написав|написала|написав\\(ла\\)|написав\\(-ла\\)|пише|писав',
  'написа|напісаў',
  'yazdı|yazmış|yazmıştır|yazdi|şunu yazdı|şunları yazdı|yazıb',
  'έγραψε|έγραψαν|γράφει',
  'كتب|كتبت|كتب/ت|نوشت|נכתב|כתב|כתבה|כתב/ה|כתב\\(ה\\)|כתבת',
  'đã viết|viết|menulis|tulis|เขียนว่า|เขียน|लिखा|ने लिखा',
];

/** "wrote" in scripts without spaces between words. Matches anywhere in the line. */
export const WROTE_SIGNS: readonly string[] = [
  '写道|寫道|寫到|写到|撰写|撰寫|编写|のメール|は書きました|が書きました',
  '書きました|書いた|さんは書|작성|쓴 글|님이 작성|쓰시길|에 보낸 메시지',
];

/** The first words of such a line, before its date. */
export const ATTRIBUTION_STARTS: readonly string[] = [
  'on|in|at|às|as|þann|am|le|el|em|il|op|den|på|kl|den|ti|il giorno|in data|el día|el dia|no dia|a|em|dana',
  'dne|dňa|dnia|w dniu',
  'pe|pe data de|la|în|în data de|în data|στις|την|τη|o|ha|v|u|в|у|на|от|da|vào|vào lúc|pada',
  'på|di|ngày|เมื่อ|บน',
  'í|kell|klo|die|ma|az|dl|el|а|از|در|في|בתאריך|ב|on behalf',
  'wiadomość|wiadomość napisana|citando|quoting|zitat von|zitat|citat|citeren|selon|según|quando|cytowanie',
  'citace|cytuję',
];

/** The header names of a pasted header block, in lower case. */
export const HEADER_WORDS: Readonly<Record<'from' | 'date' | 'to' | 'copy' | 'subject', string>> = {
  from:
    'from|von|de|da|van|från|fra|lähettäjä|od|feladó|de la|от|от кого|від|від кого|' +
    'kimden|gönderen|από|发件人|发信人|发自|寄件者|寄件人|發件人|' +
    '差出人|送信元|送信者|보낸 사람|보낸사람|发送人|من|מאת|từ|người gửi|' +
    'expéditeur|expediteur|remitente|remetente|mittente|absender|afzender|' +
    'avsändare|avsender|afsender|nadawca|odesílatel|odosielateľ|expeditor|expeditorul|' +
    'отправитель|dari|pengirim|จาก|saatja|kellelt|šalje|pošiljatelj|' +
    'prejeto od|frá|nuo|از|invio da|posted by|подател|' +
    'nork|daripada|प्रेषक|од|frå|кімнен|кімнан|kimdən|от имени|' +
    'გამომგზავნი|প্রেরক|அனுப்புநர்',
  date:
    'sent|date|sent on|sent at|gesendet|gesendet am|datum|envoyé|envoye|envoyé le|envoyé par|enviado|' +
    'enviado el|enviado em|fecha|enviada|enviada em|enviada el|' +
    'data|data de envio|inviato|inviata|data invio|verzonden|verstuurd|datum verzonden|skickat|sendt|dato|' +
    'lähetetty|päivämäärä|päiväys|wysłano|wysłane|wysłany|odesláno|' +
    'odoslané|dátum|elküldve|küldve|küldés ideje|trimis|trimisă|trimis la|отправлено|дата|' +
    'дата отправки|надіслано|відправлено|gönderildi|gönderilme tarihi|' +
    'gönderme tarihi|' +
    'tarih|εστάλη|ημερομηνία|στάλθηκε|απεστάλη|发送时间|发送日期|' +
    '发件时间|日期|寄件日期|傳送時間|傳送日期|時間|时间|送信日時|日付|日時|' +
    '送信日|보낸 날짜|보낸날짜|날짜|' +
    '보낸 시간|تاريخ الإرسال|التاريخ|تاريخ|أرسلت|أُرسلت|נשלח|' +
    'תאריך|đã gửi|ngày|ngày gửi|gửi|tanggal|dikirim|วันที่|ส่ง|' +
    'ส่งเมื่อ|saadetud|kuupäev|poslano|datum slanja|изпратено|dagsetning|' +
    'nosūtīts|enviat|enviat el|bidalia|भेजा गया|दिनांक|तारीख|dihantar|' +
    'tarikh|ارسال شده|تاریخ|послато|послано|датум|испратено|' +
    'göndərilib|გაგზავნილია|প্রেরিত|datums|when|wann|quand|cuándo|' +
    'quando|wanneer|när|når|kiedy|когда',
  to:
    'to|an|à|a|para|per|aan|till|til|vastaanottaja|kenelle|do|komu|pro|címzett|către|catre|кому|до|' +
    'kime|alıcı|προς|收件人|收件者|收信人|宛先|' +
    '받는 사람|받는사람|إلى|الى|אל|tới|đến|người nhận|destinataire|destinatario|' +
    'destinatário|empfänger|ontvanger|mottagare|mottaker|modtager|' +
    'adresat|destinatar|получатель|kepada|ถึง|saaja|kellele|prima|za|prejemnik|viðtakandi|kam|به|' +
    'per a|nori|प्रति|за|adressaat|adresatas|adresāts|kimə|প্রাপক',
  copy:
    'cc|bcc|kopie|copie|copie à|copia|kopia|kopi|kopio|dw|udw|másolatot kap|másolat|копия|копія|' +
    'bilgi|κοιν|κοιν.|κοινοποίηση|抄送|副本|副本抄送|參照|참조|' +
    'نسخة|نسخة إلى|עותק|cópia|com cópia|reply-to|reply to|antwort an|répondre à|responder a|' +
    'antwoord aan|responder para|rispondi a|svara till|' +
    'svar til|odpowiedz do|organization|organisation|importance|priority|wichtigkeit|importancia|importanza|' +
    'prioridade|attachments|anlagen|bijlage|pièces jointes|resent-from|sender|message-id|' +
    'newsgroups|mailed-by|signed-by|return-path|sensitivity|cc.|where|location',
  subject:
    'subject|betreff|betr|objet|sujet|asunto|assunto|oggetto|onderwerp|betreft|ämne|emne|aihe|otsikko|temat|' +
    'předmět|předmet|predmet|tárgy|subiect|' +
    'subiectul|тема|konu|θέμα|主题|主旨|主題|标题|標題|件名|제목|الموضوع|' +
    'موضوع|נושא|הנושא|chủ đề|tiêu đề|perihal|subjek|เรื่อง|' +
    'หัวเรื่อง|teema|' +
    'naslov|zadeva|efni|относно|предмет|tema|tēma|assumpte|gaia|विषय|tajuk|mövzu|' +
    'বিষয়',
};

/** "original message", "forwarded message" and similar words between dashes. */
export const DIVIDER_WORDS: readonly string[] = [
  'original message|original email|original e-mail|original mail|original appointment|forwarded message|' +
    'forwarded by .{1,80}|forwarded mail|forwarded email|' +
    'reply message|replied message|quoted message|start of forwarded message|begin forwarded message|original text',
  'ursprüngliche nachricht|ursprüngliche e-mail|urspr. nachricht|originalnachricht|original-nachricht|' +
    'original nachricht|originale nachricht|original-mail|' +
    'weitergeleitete nachricht|weitergeleitete mail|weitergeleitet von .{1,80}|ursprünglicher termin',
  "message d'origine|message d’origine|message original|message initial|courriel d'origine|message transféré",
  "message transmis|message réexpédié|mail original|e-mail d'origine|mail transféré|rendez-vous d'origine",
  'mensaje original|mensaje reenviado|correo original|mensaje enviado|missatge original|missatge reenviat',
  'mensaxe orixinal|mensagem original|mensagem encaminhada|mensagem reencaminhada|e-mail original',
  'messaggio originale|messaggio inoltrato|inizio messaggio inoltrato|messaggio originario|messaggio in originale',
  'oorspronkelijk bericht|oorspronkelijke bericht|origineel bericht|doorgestuurd bericht|doorgestuurde mail',
  'origineel e-mail|oorspronkelijk e-mailbericht',
  'ursprungligt meddelande|originalmeddelande|vidarebefordrat meddelande|vidarebefordrat mail|opprinnelig melding',
  'opprinnelig e-post|videresendt melding|videresendt e-post|original melding',
  'oprindelig meddelelse|original meddelelse|oprindelig besked|videresendt meddelelse|videresendt besked',
  'alkuperäinen viesti|välitetty viesti|edelleenlähetetty viesti|algne kiri|algne sõnum|edasi saadetud kiri',
  'wiadomość oryginalna|oryginalna wiadomość|treść oryginalnej wiadomości|wiadomość przekazana',
  'przekazana wiadomość|forwarded message|wiadomość pierwotna|treść wiadomości oryginalnej',
  'původní zpráva|původní e-mail|původní email|přeposlaná zpráva|předaná zpráva|přeposlaný e-mail',
  'pôvodná správa|pôvodný e-mail|preposlaná správa|originálna správa|izvorna poruka|originalna poruka',
  'izvirno sporočilo|proslijeđena poruka|posredovano sporočilo',
  'eredeti üzenet|továbbított üzenet|eredeti levél|továbbított levél|mesaj original|mesajul original',
  'mesaj redirecționat|mesaj redirectionat|mesaj inițial',
  'исходное сообщение|оригинальное сообщение',
  'пересылаемое сообщение|пересланное сообщение',
  'переадресованное сообщение|исходное письмо',
  'начало переадресованного сообщения|пересылаемое письмо',
  'вихідне повідомлення|оригінальне повідомлення',
  'початкове повідомлення|переслане повідомлення',
  'пересилається повідомлення|переадресоване повідомлення',
  'оригинално съобщение|препратено съобщение',
  'оригинална порука|зыходнае паведамленне',
  'orijinal mesaj|orjinal mesaj|özgün ileti|asıl mesaj|iletilen mesaj|iletilmiş mesaj|yönlendirilmiş ileti',
  'özgün mesaj|yönlendirilen ileti|αρχικό μήνυμα|προωθημένο μήνυμα',
  'αρχικό e-mail|πρωτότυπο μήνυμα',
  '原始邮件|邮件原件|原邮件|原始信息|原始郵件|原郵件|回复的原邮件|转发邮件',
  '转发的邮件|已转发邮件|转发邮件信息|轉寄郵件|轉寄的郵件|轉寄訊息|原始訊息',
  '元のメッセージ|元のメール|転送メッセージ|転送されたメッセージ|転送メール',
  '原文',
  '원본 메시지|원본 메일|원본메일|원본메시지|전달된 메시지|전달된 메일',
  '전달 메시지|받은 메일|الرسالة الأصلية|رسالة أصلية',
  'رسالة معاد توجيهها|رسالة مُعاد توجيهها|הודעה מקורית',
  'ההודעה המקורית|הודעה שהועברה|پیام اصلی',
  'thư gốc|tin nhắn gốc|tin nhắn đã chuyển tiếp|thư đã chuyển tiếp|thư chuyển tiếp',
  'email gốc|pesan asli|pesan terusan|pesan diteruskan|ข้อความต้นฉบับ',
  'ข้อความที่ส่งต่อ|pradinis laiškas|sākotnējais ziņojums',
];

/** The lines without dashes that introduce a forwarded mail (Apple Mail and other clients). */
export const FORWARD_LINES: readonly string[] = [
  'begin forwarded message|start of forwarded message|anfang der weitergeleiteten nachricht',
  'anfang der weitergeleiteten e-mail|début du message réexpédié|début du message transféré',
  'début du message transmis',
  'inicio del mensaje reenviado|início da mensagem encaminhada|início da mensagem reencaminhada',
  'início de mensagem reenviada|inizio messaggio inoltrato|begin doorgestuurd bericht|vidarebefordrat brev',
  'vidarebefordrat mejl',
  'start på videresendt melding|videresendt melding|start på videresendt besked|videresendt besked',
  'välitetty viesti alkaa|välitetty viesti|początek przekazywanej wiadomości',
  'rozpoczęcie wiadomości przekazanej dalej',
  'začátek přeposílané zprávy|začátok preposielanej správy|továbbított levél kezdete',
  'továbbított üzenet kezdete|începutul mesajului redirecționat|început mesaj redirecționat',
  'начало переадресованного сообщения',
  'начало пересылаемого сообщения',
  'початок листа, що пересилається',
  'початок пересланого повідомлення|iletilen ileti başlangıcı',
  'iletilmiş mesajın başlangıcı|yönlendirilen mesajın başlangıcı',
  'έναρξη προωθημένου μηνύματος|αρχή προωθημένου μηνύματος',
  '开始转发的邮件|下面是被转发的邮件|開始轉寄郵件|以下是轉寄的郵件|轉寄的郵件',
  '転送されたメッセージ|転送開始|전달된 메시지 시작|나의 전달된 메시지',
  'بداية الرسالة المعاد توجيهها|بدء الرسالة المُعاد توجيهها',
  'תחילת ההודעה שהועברה|bắt đầu thư được chuyển tiếp',
];

/** "reply above this line", as ticket systems write in their mail. */
export const ABOVE_LINES: readonly string[] = [
  'reply above this line|reply above the line|type your reply above|write above this line|write your reply above',
  'add your reply above|please reply above|respond above this line|reply above to respond',
  'oberhalb dieser zeile|über dieser zeile|au-dessus de cette ligne|encima de esta línea',
  'por encima de esta línea|sobre esta línea|acima desta linha|acima dessa linha|sopra questa riga',
  'sopra questa linea',
  'boven deze regel|boven deze lijn|ovanför den här raden|ovanför denna rad|over denne linjen|over denne linje',
  'tämän rivin yläpuolelle|powyżej tej linii|nad tą linią|nad tento řádek|nad tímto řádkem',
  'nad tento riadok|a vonal fölé|e sor fölé',
  'deasupra acestei linii|выше этой строки|выше этой линии',
  'над этой чертой|вище цього рядка|bu satırın üstüne|bu çizginin üzerine',
  'πάνω από αυτή τη γραμμή|在此行上方|在此行之上|在這行上方|この行より上',
  'この線より上|이 줄 위에|이 선 위에|فوق هذا السطر|מעל שורה זו',
  'phía trên dòng này',
];

/** Words of the disclaimers that companies append to mail. */
export const DISCLAIMER_WORDS: readonly string[] = [
  'confidential|privileged|intended recipient|disclaimer|vertraulich|confidentiel|confidencial|riservat[aeio]',
  'vertrouwelijk|fortrolig|konfidentiell|luottamuksel|poufn|důvěrn|dôvern|bizalmas|confidențial',
  'конфиденциальн|конфіденційн|gizlidir|εμπιστευτικ|保密|機密|机密',
  '기밀|سرية|סודי|bảo mật|rahasia',
];
