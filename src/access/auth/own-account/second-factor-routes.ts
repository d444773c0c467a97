import { Type } from 'typebox';
import type { App } from '../../../app.ts';
import type { Server } from '../../../ground/http/http.ts';
import { forSignedIn } from '../../../ground/http/operation.ts';
import { secondFactorSchema } from '../../accounts/schema.ts';
import { readSecondFactor } from '../../accounts/second-factor.ts';
import { codeBody, enrolmentSchema, ownPasswordBody, ownProofBody, recoveryCodesSchema } from '../schema.ts';
import {
  renewRecoveryCodes,
  setUpSecondFactor,
  switchOffSecondFactor,
  switchOnSecondFactor,
} from './change-second-factor.ts';

const signedIn = forSignedIn('accounts');

export function secondFactorRoutes(server: Server, app: App): void {
  signedIn.get(server, '/v1/me/second-factor', {
    id: 'readSecondFactor',
    summary: 'Read whether your sign-in requires a code',
    answers: { 200: secondFactorSchema },
    handler: ({ principal }) => readSecondFactor(app.db, principal.userId),
  });

  setUpRoutes(server, app);
  changeRoutes(server, app);
}

function setUpRoutes(server: Server, app: App): void {
  signedIn.post(server, '/v1/me/second-factor', {
    id: 'setUpSecondFactor',
    summary: 'Set up one-time codes',
    description:
      'Show `otpauthUri` as a QR code for an authenticator app, or `secret` to type. ' +
      'Sign-ins need no code until you confirm one. ' +
      'An account without a password omits it and must have signed in within the last 10 minutes.',
    errors: ['auth.invalid_credentials', 'auth.second_factor_exists'],
    body: ownPasswordBody,
    answers: { 201: enrolmentSchema },
    handler: ({ principal, body, ip }) => setUpSecondFactor(app, principal, { ...body, ip: ip }),
  });

  signedIn.post(server, '/v1/me/second-factor/confirm', {
    id: 'confirmSecondFactor',
    summary: 'Require codes from now on',
    description: 'Ends your other sessions. Shows the recovery codes once. Each replaces a code, once.',
    errors: ['auth.invalid_credentials', 'auth.second_factor_missing'],
    body: codeBody,
    answers: { 200: recoveryCodesSchema },
    handler: ({ principal, body, ip }) => switchOnSecondFactor(app, principal, { ...body, ip: ip }),
  });
}

function changeRoutes(server: Server, app: App): void {
  signedIn.post(server, '/v1/me/second-factor/recovery-codes', {
    id: 'renewRecoveryCodes',
    summary: 'Replace the recovery codes',
    errors: ['auth.invalid_credentials', 'auth.second_factor_missing'],
    body: ownProofBody,
    answers: { 200: recoveryCodesSchema },
    handler: ({ principal, body, ip }) => renewRecoveryCodes(app, principal, { ...body, ip: ip }),
  });

  signedIn.delete(server, '/v1/me/second-factor', {
    id: 'removeSecondFactor',
    summary: 'Stop requiring codes',
    errors: ['auth.invalid_credentials', 'auth.second_factor_missing'],
    body: ownProofBody,
    answers: { 204: Type.Null() },
    handler: async ({ principal, body, ip }) => {
      await switchOffSecondFactor(app, principal, { ...body, ip: ip });
    },
  });
}
