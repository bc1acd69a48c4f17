import { MultiSelect, Select, Switch, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { memo } from 'react'
import { useApi } from '../kit/api.ts'
import { formErrors } from '../kit/error-messages.ts'
import { LanguageField } from '../kit/LanguageField.tsx'
import { useIsOwner } from '../kit/session.ts'
import { isSpeechOnly, providersQuery } from '../settings/providers-query.ts'
import styles from './agents.module.css'
import { CallSettings } from './CallSettings.tsx'
import { draft_fields } from './draft.ts'
import { KnowledgeField } from './KnowledgeField.tsx'
import { ModelSettingsFields } from './ModelSettingsFields.tsx'
import type { Draft } from './useDraft.ts'
import { useToolNames } from './useToolNames.ts'

const default_provider = ''

interface AgentSettingsProps {
  draft: Draft
  greeting_hint: string
  is_read_only: boolean
}

/**
 * The settings are not rendered again while the instructions or the script are typed. `draft.change` edits the latest
 * values in any case.
 */
export const AgentSettings = memo(Settings, (one, other) => {
  const [before, after] = [one.draft.values, other.draft.values]
  return (
    one.is_read_only === other.is_read_only &&
    one.draft.error === other.draft.error &&
    one.greeting_hint === other.greeting_hint &&
    (before.script === null) === (after.script === null) &&
    draft_fields.every((field) => field === 'script' || field === 'instructions' || before[field] === after[field])
  )
})

function Settings({ draft, greeting_hint, is_read_only }: AgentSettingsProps) {
  const { values, change, error } = draft
  const { hand_over } = values
  const errors = error ? formErrors(error, ['model.provider', 'model.name', ...draft_fields]).fields : {}
  const text = (field: 'name' | 'description' | 'greeting') => ({
    value: values[field],
    error: errors[field],
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => change({ [field]: currentTarget.value }),
  })
  return (
    <fieldset className={styles.settings} disabled={is_read_only}>
      <TextInput label="Name" required {...text('name')} />
      <TextInput label="Description" description="Only your team sees this." {...text('description')} />
      <Textarea label="Greeting" description={greeting_hint} autosize maxRows={6} {...text('greeting')} />
      <LanguageField
        label="Language"
        value={values.language}
        error={errors.language}
        onChange={(language) => change({ language })}
      />
      {values.script === null && (
        <>
          <ModelFields
            draft={draft}
            error={errors['model.provider'] ?? errors.model}
            name_error={errors['model.name']}
            is_read_only={is_read_only}
          />
          <ModelSettingsFields draft={draft} is_read_only={is_read_only} />
        </>
      )}
      <ToolsField draft={draft} error={errors.tools} is_read_only={is_read_only} />
      <KnowledgeField draft={draft} error={errors.knowledge} is_read_only={is_read_only} />
      <Switch
        label="Can hand over to a person"
        checked={hand_over.is_allowed}
        onChange={({ currentTarget }) => change({ hand_over: { ...hand_over, is_allowed: currentTarget.checked } })}
      />
      <Switch
        label="Hand over when no model answers"
        checked={hand_over.on_failure}
        onChange={({ currentTarget }) => change({ hand_over: { ...hand_over, on_failure: currentTarget.checked } })}
      />
      <Textarea
        label="Hand-over message"
        description="What the agent says when it hands over."
        autosize
        maxRows={6}
        value={hand_over.message ?? ''}
        error={errors.hand_over}
        onChange={({ currentTarget }) => change({ hand_over: { ...hand_over, message: currentTarget.value || null } })}
      />
      <CallSettings draft={draft} is_read_only={is_read_only} />
      <DeploymentSettings draft={draft} />
    </fieldset>
  )
}

/** Edits a setting that applies to the agent at once, as its name does. */
function DeploymentSettings({ draft: { values, change } }: Pick<AgentSettingsProps, 'draft'>) {
  const is_owner = useIsOwner()
  return (
    <>
      <h2 className={styles.partTitle}>Deployment</h2>
      <Switch
        label="Require passing tests before a deployment"
        description={is_owner ? 'All enabled tests must pass on a version. Rollbacks need none.' : 'Set by owners.'}
        disabled={!is_owner}
        checked={values.deploy_requires === 'tests'}
        onChange={({ currentTarget }) => change({ deploy_requires: currentTarget.checked ? 'tests' : 'none' })}
      />
    </>
  )
}

interface FieldProps {
  draft: Draft
  error: string | undefined
  is_read_only: boolean
}

function ModelFields({
  draft: { values, change },
  error,
  name_error,
  is_read_only,
}: FieldProps & { name_error: string | undefined }) {
  const { data } = useQuery(providersQuery(useApi()))
  const { model } = values
  const known = data?.data.flatMap(({ name, kind }) => (isSpeechOnly(kind) ? [] : name)) ?? []
  // A provider that was deleted is still shown.
  const names = model && !known.includes(model.provider) ? [...known, model.provider] : known
  const choose = (provider: string | null) => {
    const name = data?.data.find((one) => one.name === provider)?.default_model ?? ''
    change({ model: provider ? { provider, name, temperature: model?.temperature ?? null } : null })
  }
  return (
    <>
      <Select
        label="Model provider"
        data={[
          { value: default_provider, label: 'Workspace default' },
          ...names.map((name) => ({ value: name, label: name })),
        ]}
        value={model?.provider ?? default_provider}
        allowDeselect={false}
        disabled={is_read_only}
        onChange={choose}
        error={error}
      />
      {model && (
        <TextInput
          label="Model"
          value={model.name}
          error={name_error}
          onChange={({ currentTarget }) => change({ model: { ...model, name: currentTarget.value } })}
        />
      )}
    </>
  )
}

function ToolsField({ draft: { values, change }, error, is_read_only }: FieldProps) {
  const { names, hint, onDropdownOpen } = useToolNames()
  const known = new Set([...names, ...values.tools])
  if (known.size === 0 && hint === undefined) return null
  return (
    <MultiSelect
      label="Tools"
      description={hint}
      data={[...known]}
      searchable
      nothingFoundMessage="No tools"
      value={values.tools}
      disabled={is_read_only}
      onDropdownOpen={onDropdownOpen}
      onChange={(tools) => change({ tools })}
      error={error}
    />
  )
}
