import type { FastifyRequest } from 'fastify';
import { languageOfHeader } from '../../ground/lib/language.ts';
import type { Client } from '../accounts/start-session.ts';

export function clientOf(request: FastifyRequest): Client {
  const { 'user-agent': userAgent = null, 'accept-language': acceptLanguage } = request.headers;
  return { ip: request.ip, userAgent, language: languageOfHeader(acceptLanguage) };
}
