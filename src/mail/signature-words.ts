/** The one-line signatures that phones and mail apps add by themselves, in their own translations. */

/** How such a line begins. */
export const SENT_FROM_STARTS: readonly string[] = [
  'sent from|sent via|sent with|sent using|sent by|sent on the go|sent on my|sent through|composed on|composed using|written on my|typed on my|get outlook|get \\[outlook|download outlook|get the outlook|get yahoo mail|from my iphone|from my ipad|from my android|from my mobile|from my phone|via my mobile|via mobile|sent in transit|dictated on',
  'von meinem|von meiner|von unterwegs|gesendet von|gesendet mit|gesendet aus|gesendet über|gesendet via|versendet von|versendet mit|verschickt von|verschickt mit|diese nachricht wurde von meinem|diese e-mail wurde von meinem|holen sie sich outlook|outlook für|vom handy|mobil gesendet|von unterwegs gesendet|am handy geschrieben',
  "envoyé de|envoyé depuis|envoyé à partir|envoyé par|envoyé via|envoyé avec|envoyé d'un|envoyé d’un|envoyée de|envoyée depuis|obtenir outlook|obtenez outlook|télécharger outlook|provenance :|expédié de|envoye de|envoye depuis",
  'enviado desde|enviado de|enviado con|enviado por|enviado via|enviado vía|enviado mediante|enviado a través|obtener outlook|descargar outlook|enviat des|enviat des de|obteniu|enviado dende',
  'enviado do|enviado da|enviado a partir|enviada do|enviada a partir|enviado pelo|enviado através|enviado usando|obter o outlook|obter outlook|obtenha o outlook|baixe o outlook|inviato da|inviato dal|inviata da|inviata dal|inviato con|inviato tramite|inviato via|spedito da|scarica outlook|ottieni outlook',
  'verstuurd vanaf|verstuurd met|verstuurd via|verstuurd van|verzonden vanaf|verzonden met|verzonden via|verzonden vanuit|verstuurd vanuit|outlook voor|outlook downloaden|download outlook|gestuurd vanaf|stuur vanaf|gestuur vanaf',
  'skickat från|skickad från|skickat med|skickat via|skickades från|hämta outlook|sänt från|sendt fra|sendt via|sendt med|sent fra|hent outlook|last ned outlook|få outlook|skaff deg outlook|skrevet på|sent úr|sent frá',
  'lähetetty|lähetty|hanki outlook|saadetud|nosūtīts no|išsiųsta iš|išsiųsta|hankige outlook',
  'wysłane z|wysłano z|wysłane przy|wysłane za|wysłane przez|wysłane ze|wysłano ze|wiadomość wysłana z|wysłany z|pobierz program outlook|pobierz aplikację outlook|pobierz outlook|uzyskaj',
  'odesláno z|odesláno ze|odesláno přes|odesláno pomocí|posláno z|získat outlook|získejte|odoslané z|odoslané zo|odoslané cez|odoslané pomocou|poslané z|získať outlook|získajte|poslano z|poslano s|poslano sa|poslato sa|poslano iz|poslano preko|poslao sa',
  'küldve|elküldve|az iphone-omról|trimis de|trimis din|trimis de pe|trimis cu|trimis prin|obțineți outlook|letöltés: outlook|töltse le az outlook',
  'отправлено с|отправлено из|отправлено со|отправлено через|отправлено от|отправлено при|отправлено моим|отправлено мобильн|написано с|послано с|скачать outlook|скачайте outlook|получить outlook|изпратено от|изпратено с|послато са',
  'надіслано з|надіслано із|надіслано зі|надіслано через|надіслано від|відправлено з|відправлено із|завантажити outlook|отримати outlook|дасланa з|адпраўлена з',
  'στάλθηκε από|εστάλη από|απεστάλη από|αποστολή από|στάλθηκε μέσω|λήψη του outlook|αποκτήστε το outlook',
  '发自|發自|来自我的|來自我的|从我的|從我的|寄自|傳送自|发送自|由我的|使用我的|获取 outlook|获取适用于|取得 outlook|取得適用於|下载 outlook',
  'مرسل من|أرسلت من|أُرسلت من|أرسل من|أُرسل من|تم الإرسال من|تم إرسالها من|مُرسل من|الحصول على outlook|احصل على outlook|ارسال شده از|فرستاده شده از',
  'נשלח מ|נשלח באמצעות|נשלח מתוך|קבל את outlook|השג את outlook|הורד את outlook',
  'đã gửi từ|được gửi từ|gửi từ|tải outlook|tải xuống outlook|lấy outlook|dikirim dari|dikirim dengan|terkirim dari|dapatkan outlook|dihantar dari|ส่งจาก|ส่งโดย|ดาวน์โหลด outlook|iphone saya',
];

/** How it begins when it names the writer's own device, whatever that is called. */
export const OWN_DEVICE_STARTS: readonly string[] = [
  'sent from my|envoyé de mon|envoyé depuis mon|envoyé à partir de mon|gesendet von meinem|enviado desde mi|enviado de mi|enviado do meu|enviado a partir do meu|inviato dal mio|verstuurd vanaf mijn|verzonden vanaf mijn|skickat från min|sendt fra min|sendt fra mit|lähetetty minun|wysłane z mojego|wysłano z mojego|odesláno z mého|odoslané z môjho|отправлено с моего|відправлено з мого|надіслано з мого|trimis de pe',
];

/** How such a line ends, in the languages that put the device first. */
export const SENT_FROM_ENDS: readonly string[] = [
  'gesendet|verschickt|geschickt|versendet|küldve|elküldve|gönderildi|gönderilmiştir|gönderdim|göndərilib|yollandı|gönderilen|lähetetty|から送信|から送信されました|で送信|より送信|から送信しました|에서 보냄|from mobile|from my mobile|from my phone|from a phone|via mobile|by mobile|from iphone|from ipad|mobil gesendet|에서 보냈습니다|에서 전송|에서 발송|전송함|传送|傳送|发送|發送|寄出|beziehen|herunterladen|downloaden|を入手|를 다운로드|다운로드|に ?から',
];

/** What such a line speaks of: without one of these it is taken for a sentence of the writer's. */
export const DEVICE_WORDS: readonly string[] = [
  'iphone|ipad|ipod|iphonu|iphona|ipadu|iphonen|iphonesta|ipadista|apple|mac|watch|android|androidu|androida|blackberry|samsung|galaxy|huawei|honor|xiaomi|redmi|mi|poco|oppo|vivo|oneplus|nokia|lumia|lg|htc|sony|xperia|nexus|pixel|motorola|moto|windows|surface|tablet|tableta|planšet',
  'phone|smartphone|cellphone|cell|mobile|mobil|mobilen|handy|móvil|movil|celular|cellulare|telefon|telefonu|telefono|teléfono|telefone|téléphone|telefoon|telefonem|puhelin|puhelimesta|mobiele|mobiel|portable|telemóvel|mobiltelefon|komórki|телефон|телефона|телефону|смартфона|устройства|мобильного|мобільного|пристрою|κινητό|手机|手機|携帯|スマートフォン|휴대폰|휴대전화|스마트폰',
  'outlook|gmail|yahoo|mail|e-mail|email|mailbird|mailspring|proton|protonmail|tutanota|tuta|thunderbird|airmail|aqua mail|aquamail|k-9|k9|fairemail|spark|superhuman|hey|newton|cloudmagic|inbox|polymail|boxer|touchdown|typeapp|bluemail|zoho|fastmail|mymail|mailru|почты|почта|пошти|mail\\.ru|yandex|яндекс|app|application|appen|applicazione|aplicación|aplikace|aplikacji|приложения|courrier|correo|posta|posten|邮箱|邮件|mailbox|mobilgerät|gerät|device|dispositivo|appareil|apparaat|enhet|enhed|laite|laitteesta|urządzenia|zařízení|zariadenia|eszköz|készülék|készülékről|cihaz|cihazımdan|dispozitiv|συσκευή|设备|端末|기기|جهاز|هاتف|الهاتف|המכשיר|desktop|webmail|roundcube|web\\.de|gmx|1&1|t-online|orange|sfr|libero|seznam|onet|wp|emailový|postbox|opera|kindle|nintendo|playstation|commodore',
];
