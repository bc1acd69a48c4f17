import { Autocomplete, Button, MultiSelect, NumberInput, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Workspace } from '../../../server/workspaces/schema.ts'
import { useApi } from '../kit/api.ts'
import { country_names } from '../kit/countries.ts'
import { formErrors } from '../kit/error-messages.ts'
import { session_query, useIsTest } from '../kit/session.ts'
import { ErrorAlert } from '../kit/states.tsx'
import { time_zones } from '../kit/time-field.ts'
import { showToast } from '../kit/toast.ts'
import { CallFields, number_props, PriceFields, QuietHoursFields, TestFields } from './CallSettingFields.tsx'
import styles from './settings.module.css'
import { fields, toChanges, toValues, type WorkspaceValues } from './workspace-values.ts'

/** Sends only the fields that were edited, so that it doesn't undo what others change meanwhile. */
export function WorkspaceForm({ workspace }: { workspace: Workspace }) {
  const api = useApi()
  const client = useQueryClient()
  const [before, setBefore] = useState(() => toValues(workspace))
  const form = useForm<WorkspaceValues>({ initialValues: before })
  const saving = useMutation({
    mutationFn: (values: WorkspaceValues) => api.send<Workspace>('PATCH', '/workspace', toChanges(before, values)),
    onError: (error) => form.setErrors(formErrors(error, fields).fields),
    onSuccess: async (saved) => {
      const stored = toValues(saved)
      setBefore(stored)
      form.setValues(stored)
      client.setQueryData([api.workspace, 'workspace'], saved)
      await client.invalidateQueries(session_query)
      showToast('Workspace saved.')
    },
  })
  return (
    <form className={styles.form} onSubmit={form.onSubmit((values) => saving.mutate(values))}>
      {saving.error && <ErrorAlert>{formErrors(saving.error, fields).message}</ErrorAlert>}
      <TextInput label="Name" required {...form.getInputProps('name')} />
      <Autocomplete
        label="Time zone"
        description="What agents take for today and tomorrow when they don't know where the contact is."
        required
        data={time_zones}
        limit={50}
        {...form.getInputProps('settings.time_zone')}
      />
      <NumberInput
        label="Delete conversations after"
        description="Days after the last message. Leave blank to keep conversations forever."
        placeholder="Never"
        suffix=" days"
        {...number_props}
        {...form.getInputProps('settings.conversations_keep_days')}
      />
      <CallFields form={form} />
      <NumberInput
        label="Delete tool runs after"
        description="Leave blank to keep them forever."
        placeholder="Never"
        suffix=" days"
        {...number_props}
        {...form.getInputProps('settings.tool_runs_keep_days')}
      />
      <NumberInput
        label="Tokens per day"
        description="How many tokens the agents of this workspace can use in a day."
        required
        thousandSeparator=","
        {...number_props}
        {...form.getInputProps('settings.tokens_per_day_max')}
      />
      <CountriesField form={form} />
      <QuietHoursFields form={form} />
      <PriceFields form={form} />
      {workspace.kind === 'test' && <TestFields form={form} />}
      <Button type="submit" loading={saving.isPending} className={styles.submit}>
        Save
      </Button>
    </form>
  )
}

/** Without a choice the setting is null. An empty list, which allows no country, can only be set by the API. */
function CountriesField({ form }: { form: UseFormReturnType<WorkspaceValues> }) {
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
      nothingFoundMessage="No such country"
      {...props}
      {...(!value?.length && { placeholder: value ? 'None' : none_chosen })}
      value={value ?? []}
      onChange={(chosen) => onChange(chosen.length === 0 ? null : chosen)}
    />
  )
}
