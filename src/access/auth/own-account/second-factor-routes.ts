import { Type } from 'typebox';
import type { App } from '../../../app.ts';
import { principalOf, type Server } from '../../../ground/http/http.ts';
import type { ErrorKey } from '../../../ground/lib/errors.ts';
import { secondFactorSchema } from '../../accounts/schema.ts';
import { readSecondFactor } from '../../accounts/second-factor.ts';
import { codeBody, enrolmentSchema, ownPasswordBody, ownProofBody, recoveryCodesSchema } from '../schema.ts';
import {
  renewRecoveryCodes,
  setUpSecondFactor,
  switchOffSecondFactor,
  switchOnSecondFactor,
} from './change-second-factor.ts';

const secondFactor = '/v1/me/second-factor';
const tags = ['accounts'];
const signedIn = (...errors: ErrorKey[]) =>
  ({ signedIn: true, errors: ['auth.invalid_credentials', ...errors] }) as const;

export function secondFactorRoutes(server: Server, app: App): void {
  server.get(
    secondFactor,
    {
      config: { signedIn: true },
      schema: {
        operationId: 'readSecondFactor',
        summary: 'Read whether your sign-in requires a code',
        tags,
        response: { 200: secondFactorSchema },
      },
    },
    (request) => readSecondFactor(app.db, principalOf(request).userId),
  );

  setUpRoutes(server, app);
  changeRoutes(server, app);
}

function setUpRoutes(server: Server, app: App): void {
  server.post(
    secondFactor,
    {
      config: signedIn('auth.second_factor_exists'),
      schema: {
        operationId: 'setUpSecondFactor',
        summary: 'Set up one-time codes',
        description:
          'Show `otpauthUri` as a QR code for an authenticator app, or `secret` to type. ' +
          'Sign-ins need no code until you confirm one. ' +
          'An account without a password omits it and must have signed in within the last 10 minutes.',
        tags,
        body: ownPasswordBody,
        response: { 201: enrolmentSchema },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await setUpSecondFactor(app, principalOf(request), { ...request.body, ip: request.ip })),
  );

  server.post(
    `${secondFactor}/confirm`,
    {
      config: signedIn('auth.second_factor_missing'),
      schema: {
        operationId: 'confirmSecondFactor',
        summary: 'Require codes from now on',
        description: 'Ends your other sessions. Shows the recovery codes once. Each replaces a code, once.',
        tags,
        body: codeBody,
        response: { 200: recoveryCodesSchema },
      },
    },
    (request) => switchOnSecondFactor(app, principalOf(request), { ...request.body, ip: request.ip }),
  );
}

function changeRoutes(server: Server, app: App): void {
  server.post(
    `${secondFactor}/recovery-codes`,
    {
      config: signedIn('auth.second_factor_missing'),
      schema: {
        operationId: 'renewRecoveryCodes',
        summary: 'Replace the recovery codes',
        tags,
        body: ownProofBody,
        response: { 200: recoveryCodesSchema },
      },
    },
    (request) => renewRecoveryCodes(app, principalOf(request), { ...request.body, ip: request.ip }),
  );

  server.delete(
    secondFactor,
    {
      config: signedIn('auth.second_factor_missing'),
      schema: {
        operationId: 'removeSecondFactor',
        summary: 'Stop requiring codes',
        tags,
        body: ownProofBody,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await switchOffSecondFactor(app, principalOf(request), { ...request.body, ip: request.ip });
      return reply.code(204).send(null);
    },
  );
}
