import { type Static, Type } from 'typebox'
import { oneOf } from '../kit/field.ts'

const statuses = ['not_installed', 'installing', 'installed', 'failed'] as const

const License = Type.Object({
  name: Type.String({ description: 'A package or a model.' }),
  license: Type.String(),
})

/** Offline speech, as the dashboard shows it. */
export const SpeechStatus = Type.Object(
  {
    status: oneOf(statuses, { description: '`failed`: the last install, and nothing is installed.' }),
    message: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'What is being done, or what went wrong, as a sentence.',
    }),
    progress: Type.Unsafe<number | null>({
      type: ['number', 'null'],
      description: 'From 0 to 1. `null` unless it is being installed.',
    }),
    done_bytes: Type.Integer({ description: 'Of the install that runs.' }),
    total_bytes: Type.Integer({
      description: 'What an install writes to the disk before it removes what is not needed.',
    }),
    folder_bytes: Type.Integer({
      description: 'What is installed takes this much of the disk; before, what it will take.',
    }),
    languages: Type.Array(Type.String(), { description: 'That it understands and speaks.' }),
    licenses: Type.Array(License),
    may_install: Type.Boolean({ description: 'Whether the person may install it: owners of the first workspace may.' }),
  },
  { title: 'SpeechStatus' },
)
export type SpeechStatus = Static<typeof SpeechStatus>
