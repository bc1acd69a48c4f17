import { Alert } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { DryRun, FieldMap } from '../../../server/integrations/schema.ts'
import { contact_fields } from '../contacts/contact-fields.ts'
import { crmName } from '../contacts/crm.ts'
import { useApi } from '../kit/api.ts'
import { errorMessage } from '../kit/error-messages.ts'
import { ErrorAlert, LoadingSkeleton } from '../kit/states.tsx'
import { describeReason, type Outcome, receiptsQuery } from './integration.ts'
import styles from './integrations.module.css'

interface SamplePreviewProps {
  id: string
  sample: unknown
  field_map: FieldMap
  default_country: string | null
}

const outcome_titles: Record<Outcome, string> = {
  created: 'This sample would create a contact',
  updated: 'This sample would update a contact',
  unchanged: 'The contact is already up to date',
  refused: 'This sample would be rejected',
}

/** Runs the sample through the unsaved field map, as a dry run. */
export function SamplePreview({ id, ...input }: SamplePreviewProps) {
  const api = useApi()
  const { data: receipts } = useQuery(receiptsQuery(api, id))
  const { data, error } = useQuery({
    // A new receipt may have changed the contact, so the dry run runs again.
    queryKey: [api.workspace, 'integrations', id, 'dry_run', input, receipts?.data[0]?.id],
    queryFn: () => api.send<DryRun>('POST', `/integrations/${id}/dry_run`, input),
    // The client repeats a POST by itself.
    retry: false,
    placeholderData: keepPreviousData,
    staleTime: 0,
  })
  if (error) return <ErrorAlert>{errorMessage(error)}</ErrorAlert>
  if (!data) return <LoadingSkeleton lines={2} />
  return (
    <Alert color={data.outcome === 'refused' ? 'red' : 'teal'} title={outcome_titles[data.outcome]} aria-live="polite">
      {data.reasons.length > 0 && (
        <ul className={styles.reasons}>
          {data.reasons.map((reason) => (
            <li key={reason}>{describeReason(reason)}</li>
          ))}
        </ul>
      )}
      {data.contact && (
        <dl className={styles.contact}>
          {Object.entries(data.contact).map(([field, value]) => (
            <div key={field}>
              <dt>{contact_fields.find((one) => one.value === field)?.label ?? 'CRM IDs'}</dt>
              <dd>{formatValue(value)}</dd>
            </div>
          ))}
        </dl>
      )}
    </Alert>
  )
}

function formatValue(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ')
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([system, id]) => `${crmName(system)}: ${id}`)
    .join(', ')
}
