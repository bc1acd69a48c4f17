import type { Configuration } from '../agents/configuration.ts'
import { type AtOutside, newToolOutside } from '../kit/at.ts'
import type { Listening, Speaking } from '../models/speech.ts'

/** Fails as `find` of `audio/sound.ts` does, which it calls. */
type FindSpeech = (at: AtOutside, configuration: Configuration) => Promise<{ listen: Listening; speak: Speaking }>

/** Finds what calls with an agent hear and speak with in this process. */
export const speechFinder = newToolOutside<FindSpeech>()
