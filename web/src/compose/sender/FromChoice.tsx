import { isSameAddress } from '../../lib/addresses.ts';
import { Select } from '../../ui/Select.tsx';
import { words } from '../../words/words.ts';

type Props = {
  label: string;
  /** The addresses from which the mailbox can send. */
  senders: readonly string[];
  /** The address from which the mail leaves without a choice. */
  usual: string;
  chosen: string | null;
  onChange: (fromAddress: string | null) => void;
  isQuiet?: boolean;
};

/** Chooses the address from which a mail leaves. A chosen address that the mailbox has lost stays, to be seen. */
export function FromChoice({ label, senders, usual, chosen, onChange, isQuiet = false }: Props) {
  const known =
    chosen === null || senders.some((sender) => isSameAddress(sender, chosen)) ? senders : [...senders, chosen];
  return (
    <Select
      label={label}
      value={chosen ?? usual}
      options={known.map((sender) => ({
        value: sender,
        text: senders.includes(sender) ? sender : words('new.cannotSend', { address: sender }),
      }))}
      onChange={(sender) => onChange(sender === usual ? null : sender)}
      isQuiet={isQuiet}
    />
  );
}
