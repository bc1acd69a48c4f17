import { Button, Group, Radio } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import type { Campaign } from '../../../server/campaigns/schema.ts'
import { useApi } from '../kit/api.ts'
import { formErrors } from '../kit/error-messages.ts'
import { FormErrors } from '../kit/FormErrors.tsx'
import { Page, Stack } from '../kit/Page.tsx'
import { ErrorAlert } from '../kit/states.tsx'
import { useUnsaved } from '../kit/unsaved.tsx'
import { AgentFields, NameField } from './AgentFields.tsx'
import { AudienceFields } from './AudienceFields.tsx'
import { type Audience, audienceQuery, enroll, everyone } from './audience.ts'
import { showChanged } from './campaign.ts'
import { agent_fields, type CampaignValues, campaign_labels, fields, toBody, toValues } from './campaign-values.ts'
import styles from './campaigns.module.css'
import { enrollingQuery } from './Enrolling.tsx'
import { ScheduleFields } from './ScheduleFields.tsx'
import { Steps, steps } from './Steps.tsx'

const [audience_step, agent_step, schedule_step] = [0, 1, 2]

/** Shows the first three steps. The last one, the review, is the page of the draft that is then created. */
export function NewCampaignPage() {
  const [step, setStep] = useState(audience_step)
  const [audience, setAudience] = useState<Audience | undefined>(everyone)
  const form = useForm<CampaignValues>({ initialValues: toValues() })
  const setSaved = useUnsaved(form.isDirty() || JSON.stringify(audience) !== JSON.stringify(everyone))
  const creating = useCreate(audience, setSaved, (error) => {
    const { fields: wrong } = formErrors(error, fields)
    form.setErrors(wrong)
    const [first] = Object.keys(wrong)
    if (first) setStep(first === 'name' ? audience_step : agent_fields.includes(first) ? agent_step : schedule_step)
  })
  const next = (values: CampaignValues) => (step === schedule_step ? creating.mutate(values) : setStep(step + 1))
  const message = creating.error && formErrors(creating.error, fields).message
  return (
    <Page title="New campaign" is_form>
      <Stack>
        <Steps current={step} onOpen={setStep} />
        {message && <ErrorAlert>{message}</ErrorAlert>}
        <section aria-label={steps[step]}>
          <form className={styles.form} onSubmit={form.onSubmit(next)}>
            {step === audience_step && (
              <>
                <NameField form={form} />
                <AudienceChoice audience={audience} onChange={setAudience} />
              </>
            )}
            {step === agent_step && <AgentFields form={form} />}
            {step === schedule_step && <ScheduleFields form={form} />}
            <Group justify="flex-end" gap={8}>
              <FormErrors errors={form.errors} labels={campaign_labels} />
              {step > audience_step && (
                <Button variant="default" onClick={() => setStep(step - 1)}>
                  Back
                </Button>
              )}
              <Button type="submit" loading={creating.isPending}>
                {step === schedule_step ? 'Create draft and review' : 'Continue'}
              </Button>
            </Group>
          </form>
        </section>
      </Stack>
    </Page>
  )
}

/** Creates the draft, adds the contacts and opens its page. */
function useCreate(audience: Audience | undefined, setSaved: () => void, onError: (error: Error) => void) {
  const api = useApi()
  const client = useQueryClient()
  const navigate = useNavigate()
  // The campaign may be created before adding its contacts fails. The next try goes on with the same one.
  const created = useRef<Campaign>(undefined)
  return useMutation({
    mutationFn: async (values: CampaignValues) => {
      const { id } = created.current ?? {}
      const campaign = id
        ? await api.send<Campaign>('PATCH', `/campaigns/${id}`, toBody(values))
        : await api.send<Campaign>('POST', '/campaigns', toBody(values))
      created.current = campaign
      if (audience) await enroll(api, campaign.id, audience)
      return campaign
    },
    onError,
    onSuccess: async (campaign) => {
      const total = audience && client.getQueryData(audienceQuery(api, audience).queryKey)?.pagination.total
      if (total) client.setQueryData(enrollingQuery(api, campaign).queryKey, total)
      setSaved()
      await showChanged(client, api, campaign)
      await navigate({ to: '/w/$workspace/campaigns/$id', params: { workspace: api.workspace, id: campaign.id } })
    },
  })
}

interface AudienceChoiceProps {
  /** The contacts to add. Undefined adds them later. */
  audience: Audience | undefined
  onChange: (audience: Audience | undefined) => void
}

const AudienceChoice = ({ audience, onChange }: AudienceChoiceProps) => (
  <>
    <Radio.Group
      label="Contacts"
      value={audience ? 'filter' : 'later'}
      onChange={(value) => onChange(value === 'filter' ? everyone : undefined)}
    >
      <div className={styles.choices}>
        <Radio value="filter" label="Choose with a filter" />
        <Radio
          value="later"
          label="Add them later"
          description="On the campaign’s page, with an import or over the API."
        />
      </div>
    </Radio.Group>
    {audience && <AudienceFields audience={audience} onChange={onChange} />}
  </>
)
