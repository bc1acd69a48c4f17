import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Campaign } from '../../../server/campaigns/schema.ts'
import { useApi } from '../kit/api.ts'
import { useConflicts } from '../kit/Conflict.tsx'
import { FormButtons } from '../kit/Dialog.tsx'
import { formErrors } from '../kit/error-messages.ts'
import { ErrorAlert } from '../kit/states.tsx'
import { showToast } from '../kit/toast.ts'
import { useUnsaved } from '../kit/unsaved.tsx'
import { AgentFields, NameField } from './AgentFields.tsx'
import { isStarted, showChanged } from './campaign.ts'
import { type CampaignValues, campaign_labels, fields, running_names, toChanges, toValues } from './campaign-values.ts'
import styles from './campaigns.module.css'
import { ScheduleFields } from './ScheduleFields.tsx'

/** Edits what can be changed in the campaign's status. */
export function EditCampaignForm({ campaign, onClose }: { campaign: Campaign; onClose: () => void }) {
  const api = useApi()
  const client = useQueryClient()
  // The form keeps the first state: the page reads the campaign again and again, which must not replace what is being
  // edited.
  const [before] = useState(() => toValues(campaign))
  const form = useForm<CampaignValues>({ initialValues: before })
  const is_started = isStarted(campaign)
  const setSaved = useUnsaved(form.isDirty())
  const conflicts = useConflicts({ labels: campaign_labels })
  const saving = useMutation({
    mutationFn: (values: CampaignValues) =>
      api.update<Campaign>(`/campaigns/${campaign.id}`, async (current) => {
        const chosen = await conflicts.choose({ before, mine: values, theirs: toValues(current) })
        return toChanges(before, chosen, is_started)
      }),
    onError: (error) => form.setErrors(formErrors(error, fields).fields),
    onSuccess: async (changed) => {
      setSaved()
      onClose()
      showToast('Campaign saved.')
      await showChanged(client, api, changed)
    },
  })
  const message = saving.error && formErrors(saving.error, fields).message
  return (
    <form className={styles.form} onSubmit={form.onSubmit((values) => saving.mutate(values))}>
      {conflicts.dialog}
      {message && <ErrorAlert>{message}</ErrorAlert>}
      {is_started && (
        <p className={styles.hint}>Changes apply within a second. Other settings can’t change after the start.</p>
      )}
      <NameField form={form} />
      {!is_started && <AgentFields form={form} />}
      <ScheduleFields form={form} is_started={is_started} />
      <FormButtons
        label="Save"
        is_pending={saving.isPending}
        errors={form.errors}
        labels={campaign_labels}
        hidden={is_started ? fields.filter((field) => !running_names.includes(field.split('.')[0] ?? '')) : []}
        onCancel={onClose}
      />
    </form>
  )
}
