import { Autocomplete, Button, MultiSelect, Select, Switch, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Workspace } from '../../../server/workspaces/schema.ts'
import { TestBadge } from '../clocks/TestBadge.tsx'
import { useApi } from '../kit/api.ts'
import { useConflicts } from '../kit/Conflict.tsx'
import { country_names } from '../kit/countries.ts'
import { formErrors } from '../kit/error-messages.ts'
import { FormErrors } from '../kit/FormErrors.tsx'
import { Card } from '../kit/Page.tsx'
import { session_query, useIsTest, useSession } from '../kit/session.ts'
import { ErrorAlert } from '../kit/states.tsx'
import { time_zones } from '../kit/time-field.ts'
import { showToast } from '../kit/toast.ts'
import { useUnsaved } from '../kit/unsaved.tsx'
import { kept, LimitFields, PriceFields, QuietHoursFields, RetentionFields, TestFields } from './CallSettingFields.tsx'
import styles from './settings.module.css'
import { fields, price_names, share_names, toChanges, toValues, type WorkspaceValues } from './workspace-values.ts'

const labels = {
  ...price_names,
  ...share_names,
  ...Object.fromEntries(kept.map(({ name, label }) => [name, label])),
  calls_in_flight_max: 'Calls at a time',
  tokens_per_day_max: 'Tokens per day',
  requires_two_factor: 'Require two-factor sign-in',
  mix: 'Mix of simulated people',
}

type Form = UseFormReturnType<WorkspaceValues>

export const WorkspaceForm = ({ workspace }: { workspace: Workspace }) => (
  <>
    <Section title="General" workspace={workspace} aside={workspace.kind === 'test' && <TestBadge />}>
      {(form) => <GeneralFields form={form} />}
    </Section>
    <Section title="Security" workspace={workspace}>
      {(form) => <SecurityFields form={form} />}
    </Section>
    <Section title="Who can be reached" workspace={workspace}>
      {(form) => (
        <>
          <CountriesField form={form} />
          <QuietHoursFields form={form} />
        </>
      )}
    </Section>
    <Section title="Limits" workspace={workspace}>
      {(form) => <LimitFields form={form} />}
    </Section>
    <Section title="Data retention" workspace={workspace}>
      {(form) => <RetentionFields form={form} />}
    </Section>
    <Section title="Prices" workspace={workspace}>
      {(form) => <PriceFields form={form} />}
    </Section>
    {workspace.kind === 'test' && (
      <Section title="Simulation" workspace={workspace}>
        {(form) => <TestFields form={form} />}
      </Section>
    )}
  </>
)

interface SectionProps {
  title: string
  workspace: Workspace
  aside?: ReactNode
  children: (form: Form) => ReactNode
}

/**
 * Edits a part of the settings in a form of its own. It sends only the fields that were edited, so that it doesn't undo
 * what others change meanwhile.
 */
function Section({ title, workspace, aside, children }: SectionProps) {
  const api = useApi()
  const client = useQueryClient()
  const [before, setBefore] = useState(() => toValues(workspace))
  const form = useForm<WorkspaceValues>({ initialValues: before })
  const changes = toChanges(before, form.values)
  const is_changed = Object.keys(changes).length > 0
  useUnsaved(is_changed)
  const conflicts = useConflicts()
  const saving = useMutation({
    mutationFn: () =>
      api.update<Workspace>('/workspace', async (current) =>
        toChanges(before, await conflicts.choose({ before, mine: form.values, theirs: toValues(current) })),
      ),
    onError: (error) => form.setErrors(formErrors(error, fields).fields),
    onSuccess: async (saved) => {
      const stored = toValues(saved)
      setBefore(stored)
      form.setValues(stored)
      client.setQueryData([api.workspace, 'workspace'], saved)
      await client.invalidateQueries(session_query)
      showToast(`${title} saved.`)
    },
  })
  return (
    <Card title={title} aside={aside}>
      <form className={styles.form} onSubmit={form.onSubmit(() => saving.mutate())}>
        {conflicts.dialog}
        {saving.error && <ErrorAlert>{formErrors(saving.error, fields).message}</ErrorAlert>}
        {children(form)}
        <FormErrors errors={form.errors} labels={labels} />
        <Button type="submit" disabled={!is_changed} loading={saving.isPending} className={styles.submit}>
          Save
        </Button>
      </form>
    </Card>
  )
}

const GeneralFields = ({ form }: { form: Form }) => (
  <>
    <TextInput label="Name" required {...form.getInputProps('name')} />
    <Autocomplete
      label="Time zone"
      description="The date that agents use when they don’t know the contact’s time zone."
      required
      data={time_zones}
      limit={50}
      {...form.getInputProps('settings.time_zone')}
    />
    <Select
      label="Default country"
      description="Of phone numbers that are typed without a country code, for example (415) 555-0123."
      placeholder="Choose a country"
      data={country_names}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'Clear country' }}
      {...form.getInputProps('settings.default_country')}
    />
  </>
)

/** Edits whether two-factor sign-in is required. An owner without it would be the first to be locked out. */
function SecurityFields({ form }: { form: Form }) {
  const { has_two_factor } = useSession()
  const { workspace } = useApi()
  const props = form.getInputProps('settings.requires_two_factor', { type: 'checkbox' })
  const must_set_up = !has_two_factor && !props.checked
  return (
    <>
      <Switch
        label="Require two-factor sign-in"
        description={
          must_set_up
            ? 'Set up two-factor sign-in for yourself first.'
            : 'People without it are asked to set it up before they can use this workspace. API keys are not affected.'
        }
        disabled={must_set_up}
        {...props}
      />
      {must_set_up && (
        <Link to="/w/$workspace/profile" params={{ workspace }}>
          Set it up in your profile
        </Link>
      )}
    </>
  )
}

/**
 * Chooses countries. Without a choice the setting is null. An empty list, which allows no country, can only be set by
 * the API.
 */
function CountriesField({ form }: { form: Form }) {
  const is_test = useIsTest()
  const { value, onChange, ...props } = form.getInputProps('settings.allowed_countries')
  const none_chosen = is_test ? 'All countries' : 'Countries of your own numbers'
  return (
    <MultiSelect
      label="Allowed countries"
      description={`Agents call and write to numbers of these countries only. Leave blank for ${is_test ? 'all' : 'the countries of your own numbers'}.`}
      data={country_names}
      searchable
      clearable
      nothingFoundMessage="No results"
      {...props}
      {...(!value?.length && { placeholder: value ? 'None' : none_chosen })}
      value={value ?? []}
      onChange={(chosen) => onChange(chosen.length === 0 ? null : chosen)}
    />
  )
}
