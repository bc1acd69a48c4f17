import { Alert } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { DryRun, FieldMap } from '../../../server/integrations/schema.ts'
import { nameOfCrm } from '../contacts/crm.ts'
import { useApi } from '../kit/api.ts'
import { sayOf } from '../kit/error-messages.ts'
import { Refusal, Waiting } from '../kit/states.tsx'
import { fields, type Outcome, receiptsQuery } from './integration.ts'
import styles from './integrations.module.css'

interface TrialProps {
  id: string
  sample: unknown
  field_map: FieldMap
  default_country: string | null
}

const would: Record<Outcome, string> = {
  created: 'This sample would create a contact',
  updated: 'This sample would update a contact',
  unchanged: 'The contact is already up to date',
  refused: 'This sample would be rejected',
}

/** What the sample would do, with the field map as it stands in the form. */
export function Trial({ id, ...said }: TrialProps) {
  const api = useApi()
  const { data: receipts } = useQuery(receiptsQuery(api, id))
  const { data, error } = useQuery({
    // What has arrived since may be what it speaks of.
    queryKey: [api.workspace, 'integrations', id, 'dry_run', said, receipts?.data[0]?.id],
    queryFn: () => api.send<DryRun>('POST', `/integrations/${id}/dry_run`, said),
    placeholderData: keepPreviousData,
    staleTime: 0,
  })
  if (error) return <Refusal>{sayOf(error)}</Refusal>
  if (!data) return <Waiting lines={2} />
  return (
    <Alert color={data.outcome === 'refused' ? 'red' : 'teal'} title={would[data.outcome]} aria-live="polite">
      {data.reasons.length > 0 && (
        <ul className={styles.reasons}>
          {data.reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
      {data.contact && (
        <dl className={styles.contact}>
          {Object.entries(data.contact).map(([field, value]) => (
            <div key={field}>
              <dt>{fields.find((one) => one.value === field)?.label ?? 'CRM IDs'}</dt>
              <dd>{sayValue(value)}</dd>
            </div>
          ))}
        </dl>
      )}
    </Alert>
  )
}

function sayValue(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ')
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([system, id]) => `${nameOfCrm(system)}: ${id}`)
    .join(', ')
}
