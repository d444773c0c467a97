import type { Logger } from '../platform/log.ts';
import type { TelemetryExport } from '../settings/telemetry-settings.ts';
import type { Telemetry } from './telemetry.ts';

/** @returns undefined when the settings name no collector: then no code of OpenTelemetry is loaded */
export async function openTelemetry(
  settings: TelemetryExport | undefined,
  log: Logger,
): Promise<Telemetry | undefined> {
  if (settings === undefined) return undefined;
  const { openTelemetryExport } = await import('./open-export.ts');
  return openTelemetryExport(settings, log);
}
