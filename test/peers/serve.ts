import { readConfig } from '../../server/config.ts'
import { serve } from '../../server/main.ts'
import { openVoiceCarrierClient } from './voice-carrier-client.ts'

/**
 * `CARRIER_URL=... node bin/run.mjs test/peers/serve.ts serve [--only api|worker]` starts the service as `parley serve` does, but
 * dials at the carrier in another process.
 */
const { CARRIER_URL } = process.env
if (!CARRIER_URL) throw new Error('CARRIER_URL is required')
const only = (['api', 'worker'] as const).find((part) => process.argv.includes(part))
await serve(readConfig(), { shell: process, is_json: false, only, carrier: openVoiceCarrierClient(CARRIER_URL) })
