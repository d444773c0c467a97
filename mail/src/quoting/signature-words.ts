/** The one-line signatures that phones and mail apps add automatically, in their own translations. */

/** The beginnings of such lines. */
export const SENT_FROM_STARTS: readonly string[] = [
  'sent from|sent via|sent with|sent using|sent by|sending from|mailed from|sent on the go|sent on my',
  'sent through',
  '(?:composed|written|typed|tapped|thumbed|swiped|dictated|transmitted)(?: \\p{L}{1,12}){0,3} (?:on|from|' +
    'with|via|using|by) (?:my|a|an|the)',
  'composed on|composed using|yahoo mail[:.]',
  '(?:get|download) (?:the )?[\\p{L}\\p{N}[\\] ]{2,24}(?: app)? (?:for|on) (?:android|ios|iphone|ipad|mac|' +
    'macos|windows|mobile)\\W{0,4}$',
  'get (?:the )?(?:outlook|yahoo mail)\\W{0,4}$',
  'from my (?:iphone|ipad|android|mobile|phone)(?: [\\p{L}\\p{N}]+)?\\W{0,4}$|via (?:my )?mobile\\W{0,4}$',
  'sent in transit',
  'gesendet: von|von meinem|von meiner|von unterwegs|gesendet von|gesendet mit|gesendet aus|gesendet über',
  'gesendet via|versendet von|versendet mit|verschickt von|verschickt mit|diese nachricht wurde von meinem',
  'diese e-mail wurde von meinem|holen sie sich outlook|vom handy|mobil gesendet|von unterwegs gesendet',
  'am handy geschrieben',
  "envoyé de|envoyé depuis|envoyé à partir|envoyé par|envoyé via|envoyé avec|envoyé d'un|envoyé d’un",
  'envoyée de|envoyée depuis|obtenir outlook|obtenez outlook|télécharger outlook|provenance :|expédié de',
  'envoye de|envoye depuis',
  'enviado desde|enviado de|enviado con|enviado por|enviado via|enviado vía|enviado mediante|enviado a través',
  'obtener outlook|descargar outlook|enviat des|enviat des de|obteniu|enviado dende',
  'enviado do|enviado da|enviado a partir|enviada do|enviada a partir|enviado pelo|enviado através',
  'enviado usando|obter o outlook|obter outlook|obtenha o outlook|baixe o outlook|inviato da|inviato dal',
  'inviata da|inviata dal|inviato con|inviato tramite|inviato via|spedito da|scarica outlook|ottieni outlook',
  'verstuurd vanaf|verstuurd met|verstuurd via|verstuurd van|verzonden vanaf|verzonden met|verzonden via',
  'verzonden vanuit|verstuurd vanuit|download outlook|gestuurd vanaf|stuur vanaf|gestuur vanaf',
  'skickat från|skickad från|skickat med|skickat via|skickades från|hämta outlook|sänt från|sendt fra',
  'sendt via|sendt med|sent fra|hent outlook|last ned outlook|få outlook|skaff deg outlook|skrevet på|sent úr',
  'sent frá',
  'lähetetty|lähetty|hanki outlook|saadetud|nosūtīts no|išsiųsta iš|išsiųsta|hankige outlook',
  'wysłane z|wysłano z|wysłane przy|wysłane za|wysłane przez|wysłane ze|wysłano ze|wiadomość wysłana z',
  'wysłany z|pobierz program outlook|pobierz aplikację outlook|pobierz outlook|uzyskaj',
  'odesláno z|odesláno ze|odesláno přes|odesláno pomocí|posláno z|získat outlook|získejte|odoslané z',
  'odoslané zo|odoslané cez|odoslané pomocou|poslané z|získať outlook|získajte|poslano z|poslano s',
  'poslano sa|poslato sa|poslano iz|poslano preko|poslao sa',
  'küldve|elküldve|az iphone-omról|trimis de|trimis din|trimis de pe|trimis cu|trimis prin|obțineți outlook',
  'letöltés: outlook|töltse le az outlook',
  'отправлено с|отправлено из|отправлено со|отправлено через',
  'отправлено от|отправлено при|отправлено моим',
  'отправлено мобильн|написано с|послано с|скачать outlook',
  'скачайте outlook|получить outlook|изпратено от|изпратено с',
  'послато са',
  'надіслано з|надіслано із|надіслано зі|надіслано через',
  'надіслано від|відправлено з|відправлено із|завантажити outlook',
  'отримати outlook|дасланa з|адпраўлена з',
  'στάλθηκε από|εστάλη από|απεστάλη από|αποστολή από',
  'στάλθηκε μέσω|λήψη του outlook|αποκτήστε το outlook',
  '发自|發自|發送自|来自我的|來自我的|从我的|從我的|寄自|傳送自|发送自|由我的',
  '使用我的|获取 outlook|获取适用于|取得 outlook|取得適用於|下载 outlook',
  'مرسل من|أرسلت من|أُرسلت من|أرسل من|أُرسل من|تم الإرسال من',
  'تم إرسالها من|مُرسل من|الحصول على outlook|احصل على outlook',
  'ارسال شده از|فرستاده شده از',
  'נשלח מ|נשלח באמצעות|נשלח מתוך|קבל את outlook|השג את outlook|הורד את outlook',
  'đã gửi từ|được gửi từ|gửi từ|tải outlook|tải xuống outlook|lấy outlook|dikirim dari',
  'dikirim dengan|terkirim dari|dapatkan outlook|dihantar dari|ส่งจาก|ส่งโดย',
  'ดาวน์โหลด outlook|iphone saya',
];

/** The beginnings of lines that name the author's own device by any name. */
export const OWN_DEVICE_STARTS: readonly string[] = [
  'sent from my|envoyé de mon|envoyé depuis mon|envoyé à partir de mon|gesendet von meinem|enviado desde mi',
  'enviado de mi|enviado do meu|enviado a partir do meu|inviato dal mio|verstuurd vanaf mijn|verzonden vanaf mijn',
  'skickat från min|sendt fra min|sendt fra mit|lähetetty minun|wysłane z mojego|wysłano z mojego',
  'odesláno z mého|odoslané z môjho|отправлено с моего|відправлено з мого',
  'надіслано з мого|trimis de pe',
];

/** The endings of such lines, or whole lines, in languages that put the device first. */
export const SENT_FROM_ENDS: readonly string[] = [
  '^\\W{0,4}(?:von|vom|mit|aus|per|über|via|mobil) .{2,60} (?:gesendet|verschickt|geschickt|versendet)',
  '^\\W{0,4}(?:vanaf|met|via|vanuit) .{2,60} (?:verzonden|verstuurd|gestuurd)',
  '^\\W{0,4}(?:från|fra|från min) .{2,60} (?:skickat|sendt)',
  '^(?!not|only|just|even|also|always|mostly)(?:\\p{L}{2,20},? ){0,1}(?:sent )?(?:from|via|by) (?:my |a |the ' +
    ')?(?:mobile|phone|iphone|ipad|android)',
  'outlook.{0,40} (?:beziehen|herunterladen|downloaden|edinin|indirin|yükleyin|をダウンロード|を入手|다운로드)',
  'outlook ?(?:を入手|をダウンロード|를 다운로드)',
  '(?:r[óő]l|b[óő]l|v[ae]l|n[ae]l|az iphone-omról) (?:el)?küldve',
  '(?:[dt][ae]n|ile)\\s{1,2}(?:gönderildi|gönderilmiştir|gönderdim|yollandı|göndərilib)',
  '(?:st[aä]|ll[aä]) lähetetty|(?:tik|az|z) bidal(?:ia|i da|ita)',
  '(?:から|で|より)送信(?:されました|しました)?',
  '에서 (?:보냄|보냈습니다|전송|발송|보내드립니다)|전송함',
  '^(?:從|从|由|以|用).{2,40}(?:传送|傳送|发送|發送|寄出)',
];

/** The devices and apps in such lines. A line without any of these counts as the author's sentence. */
export const DEVICE_WORDS: readonly string[] = [
  'iphone|ipad|ipod|iphonu|iphona|ipadu|iphonen|iphonesta|ipadista|apple|mac|watch|android|androidu|androida',
  'blackberry|samsung|galaxy|huawei|honor|xiaomi|redmi|mi|poco|oppo|vivo|oneplus|nokia|lumia|lg|htc|sony|xperia',
  'nexus|pixel|motorola|moto|windows|surface|tablet|tableta|planšet',
  'phone|smartphone|cellphone|cell|mobile|mobil|mobilen|handy|móvil|movil|celular|cellulare|telefon|telefonu',
  'telefono|teléfono|telefone|téléphone|telefoon|telefonem|puhelin|puhelimesta|mobiele|mobiel|portable',
  'telemóvel|mobiltelefon|komórki|komórka|komórkowego|ponsel|hp|gawai|perangkat|điện thoại|telefón',
  'telefónu|mobilu|mobilní|mobilného|mobilnog|mobitela|mobilnega|мобильный|мобільний',
  'мобилен|téléphone|телефон|телефона|телефону|смартфона',
  'устройства|мобильного|мобільного|пристрою|κινητό',
  'outlook|gmail|yahoo|mail|e-mail|email|mailbird|mailspring|proton|protonmail|tutanota|tuta|thunderbird|airmail',
  'aqua mail|aquamail|k-9|k9|fairemail|spark|superhuman|hey|newton|cloudmagic|inbox|polymail|boxer|touchdown',
  'typeapp|bluemail|zoho|fastmail|mymail|mailru|почты|почта|пошти|mail\\.ru|yandex|яндекс',
  'app|application|appen|applicazione|aplicación|aplikace|aplikacji|приложения|courrier|correo|posta',
  'posten|mailbox|mobilgerät|gerät|device|dispositivo|appareil|apparaat|enhet|enhed|laite|laitteesta',
  'urządzenia|zařízení|zariadenia|eszköz|készülék|készülékről|cihaz|cihazımdan|dispozitiv',
  'συσκευή|جهاز|هاتف|الهاتف|המכשיר|desktop|webmail|roundcube|web\\.de|gmx|1&1|t-online',
  'orange|sfr|libero|seznam|front|missive|shortwave|canary|edison|mimestream|mutt|nylas|vivaldi|em client',
  'roundcube|rainloop|zimbra|spike|sparrow|nine|acompli|alto|inky|unibox|evolution|onet|wp|emailový|postbox',
  'opera|kindle|nintendo|playstation|commodore',
];

/** The same words in scripts without spaces between words. They match anywhere in the line. */
export const DEVICE_SIGNS: readonly string[] = [
  '手机|手機|平板|电脑|電腦|客户端|邮箱|郵箱|信箱|邮件|郵件|设备|裝置|携帯',
  'スマートフォン|スマホ|タブレット|端末|アプリ|メール|휴대폰|휴대전화|스마트폰',
  '핸드폰|태블릿|기기|아이폰|갤럭시|메일|โทรศัพท์|มือถือ|גלקסי',
  'אייפון|אייפד|נייד|טלפון|הטלפון|هاتف|جوال|آيفون|موبايل|تلفن',
  'گوشی',
];

/** The apologies that may follow as a second sentence. */
export const APOLOGIES: readonly string[] = [
  'excuse|pardon|forgive|apolog|sorry|typos?|brevity|autocorrect|entschuldig|verzeih|kürze|tippfehler|excuser',
  'pardonn|brièveté|fautes|disculp|perdon|brevedad|brevidade|desculp|brevità|scusa|excuseer|beknopt|typefout',
  'ursäkta|korthet|kortfattet|undskyld|beklager|unnskyld|anteeksi|lyhyys|wybacz|przepraszam|zwięzłość',
  'lakoniczn|omluv|stručnost|elnézést|tömörség|scuze|scuzați|извин|краткост|вибач',
  'стисл|kusura|kısa|συγχωρ|συντομία|见谅|見諒|简短|ご容赦|양해',
];

/** Whole lines that name no device. */
export const SENT_ON_THE_WAY: readonly string[] = [
  'sent on the (?:go|move|run|fly|road)|sent while (?:mobile|travelling|traveling|on the go)|sent in transit',
  'on the go|von unterwegs(?: gesendet| geschickt)?|unterwegs gesendet|mobil gesendet|envoyé en déplacement',
  'enviado en movimiento|inviato in mobilità|onderweg verstuurd|skickat på språng|sendt på farten',
];
