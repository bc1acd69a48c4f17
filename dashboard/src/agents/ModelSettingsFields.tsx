import { NumberInput, Select, TagsInput } from '@mantine/core'
import { formErrors } from '../kit/error-messages.ts'
import type { DraftValues } from './draft.ts'
import type { Draft } from './useDraft.ts'

type Settings = DraftValues['model_settings']

const default_effort = ''
const efforts: { value: NonNullable<Settings['reasoning_effort']>; label: string }[] = [
  { value: 'minimal', label: 'Minimal' },
  { value: 'low', label: 'Low' },
  { value: 'medium', label: 'Medium' },
  { value: 'high', label: 'High' },
]
const numbers = [
  { name: 'temperature', label: 'Temperature', description: '0 to 2. Leave blank for the default of the model.' },
  { name: 'top_p', label: 'Top P', description: '0 to 1. Leave blank for the default of the model.' },
  { name: 'max_tokens', label: 'Longest answer', description: 'In tokens, up to 16,000. Leave blank for no limit.' },
] as const
const stops_max = 4
const fields = [...numbers.map(({ name }) => name), 'reasoning_effort', 'stop'].map((name) => `model_settings.${name}`)

/** Edits how the model is asked. */
export function ModelSettingsFields({ draft, is_read_only }: { draft: Draft; is_read_only: boolean }) {
  const { values, change, error } = draft
  const settings = values.model_settings
  const errors = error ? formErrors(error, fields).fields : {}
  const edit = (changed: Partial<Settings>) => change({ model_settings: { ...settings, ...changed } })
  return (
    <>
      {numbers.map(({ name, label, description }) => (
        <NumberInput
          key={name}
          label={label}
          description={description}
          clampBehavior="none"
          hideControls
          value={settings[name] ?? ''}
          error={errors[`model_settings.${name}`]}
          onChange={(value) => edit({ [name]: typeof value === 'number' ? value : null })}
        />
      ))}
      <Select
        label="Reasoning effort"
        description="How much the model thinks before it answers."
        data={[{ value: default_effort, label: 'Default of the model' }, ...efforts]}
        value={settings.reasoning_effort ?? default_effort}
        allowDeselect={false}
        disabled={is_read_only}
        error={errors['model_settings.reasoning_effort']}
        onChange={(chosen) => edit({ reasoning_effort: efforts.find(({ value }) => value === chosen)?.value ?? null })}
      />
      <TagsInput
        label="Stop at"
        description={`Answers end before one of these texts. Up to ${stops_max}.`}
        placeholder="Type and press Enter"
        maxTags={stops_max}
        // A comma may be part of a text.
        splitChars={[]}
        isDuplicate={(text, stops) => stops.includes(text)}
        value={settings.stop ?? []}
        disabled={is_read_only}
        error={errors['model_settings.stop']}
        onChange={(stop) => edit({ stop: stop.length > 0 ? stop : null })}
      />
    </>
  )
}
