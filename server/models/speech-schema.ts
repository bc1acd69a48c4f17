import { Type } from 'typebox'
import { language_tag, optionalText, text } from '../kit/field.ts'

/** What an agent hears with. */
export interface Listen {
  provider: string
  model: string | null
  language: string | null
}

/** What an agent speaks with. */
export interface Speak {
  provider: string
  model: string | null
  voice: string | null
  speed: number | null
}

/** What an agent hears and speaks with. Null stands for offline speech. */
export interface Speech {
  listen: Listen | null
  speak: Speak | null
}

export const offline_speech: Speech = { listen: null, speak: null }

/** Whether offline speech knows the language: it knows English only. */
export const isOfflineLanguage = (language: string): boolean => /^en\b/i.test(language)

const provider = text({ maxLength: 200, description: 'The name of a provider.', examples: ['ElevenLabs'] })

const model = (description: string, example: string) => ({
  ...optionalText({ maxLength: 200, pattern: '^\\S+$', description, examples: [example] }),
  default: null,
})

export const Speech = Type.Unsafe<Speech>({
  title: 'AgentSpeech',
  type: 'object',
  properties: {
    listen: {
      type: ['object', 'null'],
      required: ['provider'],
      properties: {
        provider,
        model: model("The provider's name for a model that hears. `null`: its default.", 'nova-3'),
        language: {
          ...optionalText({
            ...language_tag,
            description: "What the contact speaks, as a BCP 47 tag. `null`: the agent's `language`.",
            examples: ['en'],
          }),
          default: null,
        },
      },
      additionalProperties: false,
      default: null,
      description: 'What the agent hears with: a provider of the kind `openai_compatible`, `elevenlabs` or `deepgram`.',
    },
    speak: {
      type: ['object', 'null'],
      required: ['provider'],
      properties: {
        provider,
        model: model("The provider's name for a model that speaks. `null`: its default.", 'eleven_flash_v2_5'),
        voice: {
          ...optionalText({
            maxLength: 100,
            // The name is part of a path at ElevenLabs.
            pattern: '^[A-Za-z0-9][\\w.:+()-]*$',
            description: "The provider's name or id for a voice. `null`: its default.",
            examples: ['alloy'],
          }),
          default: null,
        },
        speed: {
          type: ['number', 'null'],
          minimum: 0.5,
          maximum: 2,
          default: null,
          description: '1 is the usual speed. A provider with a smaller range gets the nearest that it has.',
        },
      },
      additionalProperties: false,
      default: null,
      description: 'What the agent speaks with, as `listen`.',
    },
  },
  additionalProperties: false,
  description:
    'What the agent hears and speaks with in calls on real lines: see "Speech" in the guide. `null` for either: offline speech, with ' +
    '`voice`. Replaced as a whole.',
  examples: [offline_speech],
})
