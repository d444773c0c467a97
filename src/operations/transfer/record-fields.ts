import { type Static, type TSchema, Type } from 'typebox';
import { providerKeys } from '../../mail/providers/registry.ts';

/** Fields that several records of an export have. */

export const id = Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' });
export const time = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,6})?Z$' });
export const sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });
export const email = Type.String({ pattern: '^[^\\s@]+@[^\\s@]+$', maxLength: 320 });
export const name = Type.String({ maxLength: 1_000 });
export const text = Type.String();
export const count = Type.Integer({ minimum: 0, maximum: 1_000_000_000 });
export const bytes = Type.Integer({ minimum: 0, maximum: 2 ** 40 });
export const addresses = Type.Array(Type.String({ maxLength: 1_000 }), { maxItems: 10_000 });
export const tags = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 50 });
export const json = Type.Record(Type.String(), Type.Unknown());
export const mailKey = Type.String({ minLength: 1, maxLength: 512 });
export const oneOf = (values: readonly string[]) => Type.Enum([...values]);
export const orNull = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]));
export const providers = Object.values(providerKeys);
export const strict = { additionalProperties: false };

export const attachmentRecord = Type.Object(
  {
    id,
    fileName: Type.String({ maxLength: 1_000 }),
    contentType: Type.String({ maxLength: 255 }),
    sizeBytes: bytes,
    sha256,
    contentId: orNull(name),
    isInline: Type.Optional(Type.Boolean()),
    uploadedBy: orNull(id),
    createdAt: time,
  },
  strict,
);
export type AttachmentRecord = Static<typeof attachmentRecord>;
