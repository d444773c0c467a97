import type { Part } from './sentence.ts';

/** A sentence whose values stand out. */
export function Sentence({ parts }: { parts: readonly Part[] }) {
  return [...parts.entries()].map(([at, { text, isValue }]) =>
    isValue ? (
      <b key={at} dir="auto">
        {text}
      </b>
    ) : (
      <span key={at}>{text}</span>
    ),
  );
}
