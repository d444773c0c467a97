import type { FastifyRequest } from 'fastify';
import type { Client } from '../accounts/start-session.ts';
import { languageOfHeader } from '../lib/language.ts';

export function clientOf(request: FastifyRequest): Client {
  const { 'user-agent': userAgent = null, 'accept-language': acceptLanguage } = request.headers;
  return { ip: request.ip, userAgent, language: languageOfHeader(acceptLanguage) };
}
