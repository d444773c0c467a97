/** How mail programs name the folders and labels of mail that is no correspondence, in many languages. */

export const leftOutKinds = ['drafts', 'deleted', 'spam', 'chats'] as const;
/** Why an import leaves a mail out. `drafts` never left, templates and unsent mail included. */
export type LeftOut = (typeof leftOutKinds)[number];

const words: Record<LeftOut, readonly string[]> = {
  drafts: [
    'draft|drafts|templates|outbox|unsent messages|scheduled|entwurf|entwürfe|vorlagen|postausgang|geplant',
    'brouillon|brouillons|modèles|borrador|borradores|rascunho|rascunhos|bozza|bozze|concepten|utkast|kladder',
    'luonnos|luonnokset|wersje robocze|kopie robocze|szkice|koncepty|rozepsané|piszkozatok|schiţe|schițe|taslaklar',
    'πρόχειρα|черновик|черновики|чернетки|чернови|טיוטות|مسودات|المسودات|下書き|草稿|草稿箱|임시보관함|임시 보관함',
    'ร่างจดหมาย|thư nháp|draf',
  ],
  deleted: [
    'trash|bin|deleted|deleted items|deleted messages|papierkorb|gelöscht|gelöschte elemente|gelöschte objekte',
    'corbeille|éléments supprimés|messages supprimés|papelera|elementos eliminados|lixeira|lixo|itens excluídos',
    'itens eliminados|cestino|posta eliminata|elementi eliminati|prullenbak|verwijderde items|papperskorg',
    'papperskorgen|papirkurv|papirkurven|slettede elementer|borttaget|roskakori|poistetut|kosz|elementy usunięte|koš',
    'odstraněná pošta|kuka|törölt elemek|coș|coş|çöp|çöp kutusu|silinmiş öğeler|κάδος|корзина|удаленные|удалённые',
    'кошик|אשפה|פריטים שנמחקו|المهملات|سلة المهملات|ごみ箱|ゴミ箱|削除済みアイテム|已删除|已删除邮件|垃圾桶|刪除的郵件',
    '휴지통|지운 편지함|ถังขยะ|thùng rác|sampah',
  ],
  spam: [
    'spam|junk|junk e-mail|junk email|junk mail|bulk mail|unerwünscht|spamverdacht|spam-verdacht|junk-e-mail',
    'courrier indésirable|indésirables|pourriel|correo no deseado|no deseado|lixo eletrônico|lixo electrónico',
    'posta indesiderata|ongewenste e-mail|ongewenst|skräppost|søppelpost|uønsket e-post|uønsket mail|roskaposti',
    'niechciane|wiadomości-śmieci|nevyžádaná pošta|levélszemét|gereksiz|istenmeyen|ανεπιθύμητα',
    'ανεπιθύμητη αλληλογραφία|спам|нежелательная почта|דואר זבל|ספאם|بريد مزعج|الرسائل غير المرغوب فيها',
    '迷惑メール|垃圾邮件|垃圾郵件|스팸|스팸메일함|정크 메일|สแปม|thư rác',
  ],
  // A folder of this name is somebody's own, but Gmail gives its label to nothing else.
  chats: ['chat|chats'],
};

const kinds = new Map(
  leftOutKinds.flatMap((kind) => words[kind].flatMap((line) => line.split('|')).map((name) => [name, kind] as const)),
);

/** @param name of a label of Gmail */
export function kindOfLabel(name: string): LeftOut | undefined {
  return kinds.get(plain(name));
}

/** @param name of a folder, or of an mbox file */
export function kindOfFolder(name: string): LeftOut | undefined {
  // Maildir++ writes `.INBOX.Trash`, Thunderbird `Trash.sbd`, Apple Mail `Deleted Messages.mbox`.
  const last = name.startsWith('.') ? (name.split('.').at(-1) ?? '') : name.replace(/\.(?:mbox|mbx|mbs|sbd)$/i, '');
  const kind = kindOfLabel(fromUtf7(last));
  return kind === 'chats' ? undefined : kind;
}

function plain(name: string): string {
  return name
    .replace(/^(?:inbox|\[(?:gmail|google mail|imap)\])[./]/i, '')
    .trim()
    .normalize('NFC')
    .toLowerCase();
}

/** IMAP servers write other letters as UTF-16 in base64 (RFC 3501 §5.1.3): `Entw&APw-rfe`. */
function fromUtf7(name: string): string {
  return name.replace(/&([A-Za-z0-9+,]+)-/g, (whole, base64: string) => {
    const bytes = Buffer.from(base64.replaceAll(',', '/'), 'base64');
    return bytes.length % 2 === 0 ? bytes.swap16().toString('utf16le') : whole;
  });
}
