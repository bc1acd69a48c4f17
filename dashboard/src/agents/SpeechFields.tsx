import { NumberInput, Select, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../kit/api.ts'
import { formErrors } from '../kit/error-messages.ts'
import { LanguageField } from '../kit/LanguageField.tsx'
import { providersQuery } from '../settings/providers-query.ts'
import type { Draft } from './useDraft.ts'

const offline = ''
const new_listen = { model: null, language: null }
const new_speak = { model: null, voice: null, speed: null }
const fields = [
  'speech.listen.provider',
  'speech.listen.model',
  'speech.listen.language',
  'speech.speak.provider',
  'speech.speak.model',
  'speech.speak.voice',
  'speech.speak.speed',
]

/** Chooses what the agent hears and speaks with in calls on real lines. */
export function SpeechFields({ draft, is_read_only }: { draft: Draft; is_read_only: boolean }) {
  const { values, change, error } = draft
  const { listen, speak } = values.speech
  const errors = error ? formErrors(error, fields).fields : {}
  const edit = (changed: Partial<typeof values.speech>) => change({ speech: { ...values.speech, ...changed } })
  return (
    <>
      <SpeechProvider
        label="Hears with"
        value={listen?.provider}
        error={errors['speech.listen.provider']}
        is_read_only={is_read_only}
        onChange={(provider) => edit({ listen: provider ? { ...new_listen, provider } : null })}
      />
      {listen && (
        <>
          <TextInput
            label="Model that hears"
            description="Leave blank for the default of the provider."
            value={listen.model ?? ''}
            error={errors['speech.listen.model']}
            onChange={({ currentTarget }) => edit({ listen: { ...listen, model: currentTarget.value || null } })}
          />
          <LanguageField
            label="Language of the contact"
            placeholder="The agent’s language"
            value={listen.language ?? ''}
            error={errors['speech.listen.language']}
            onChange={(language) => edit({ listen: { ...listen, language: language || null } })}
          />
        </>
      )}
      <SpeechProvider
        label="Speaks with"
        value={speak?.provider}
        error={errors['speech.speak.provider']}
        is_read_only={is_read_only}
        onChange={(provider) => edit({ speak: provider ? { ...new_speak, provider } : null })}
      />
      {speak && (
        <>
          <TextInput
            label="Model that speaks"
            description="Leave blank for the default of the provider."
            value={speak.model ?? ''}
            error={errors['speech.speak.model']}
            onChange={({ currentTarget }) => edit({ speak: { ...speak, model: currentTarget.value || null } })}
          />
          <TextInput
            label="Voice of the provider"
            description="Its name or id. Leave blank for the default."
            value={speak.voice ?? ''}
            error={errors['speech.speak.voice']}
            onChange={({ currentTarget }) => edit({ speak: { ...speak, voice: currentTarget.value || null } })}
          />
          <NumberInput
            label="Speed"
            description="0.5 to 2. Leave blank for the usual speed."
            clampBehavior="none"
            hideControls
            value={speak.speed ?? ''}
            error={errors['speech.speak.speed']}
            onChange={(speed) => edit({ speak: { ...speak, speed: typeof speed === 'number' ? speed : null } })}
          />
        </>
      )}
    </>
  )
}

interface SpeechProviderProps {
  label: string
  value: string | undefined
  error: string | undefined
  is_read_only: boolean
  onChange: (provider: string | null) => void
}

function SpeechProvider({ label, value, error, is_read_only, onChange }: SpeechProviderProps) {
  const { data } = useQuery(providersQuery(useApi()))
  const able = data?.data.flatMap(({ name, kind }) => (kind === 'anthropic' ? [] : name)) ?? []
  // A provider that was deleted is still shown.
  const names = value !== undefined && !able.includes(value) ? [...able, value] : able
  return (
    <Select
      label={label}
      data={[{ value: offline, label: 'Offline speech' }, ...names.map((name) => ({ value: name, label: name }))]}
      value={value ?? offline}
      allowDeselect={false}
      disabled={is_read_only}
      error={error}
      onChange={onChange}
    />
  )
}
