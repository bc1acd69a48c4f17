import { readConfig } from '../../server/config.ts'
import { serve } from '../../server/main.ts'
import { fake_sound } from './fake-speech.ts'

/* The service, with speech without models: started by the launcher, as `parley serve` is. */
const processes = process.argv.includes('--processes') ? 2 : 1
await serve(readConfig(process.env), { shell: process, is_json: false, sound: fake_sound, processes })
