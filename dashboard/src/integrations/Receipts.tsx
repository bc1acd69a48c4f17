import { Anchor, Button, Group } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Receipt } from '../../../server/integrations/schema.ts'
import { useWorkspaceId } from '../kit/api.ts'
import { JsonBlock } from '../kit/CodeBlock.tsx'
import { Disclosure } from '../kit/Disclosure.tsx'
import { PlugIcon } from '../kit/icons.tsx'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import type { List } from '../kit/request.ts'
import { Status } from '../kit/Status.tsx'
import { EmptyState, LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { outcome_names, outcome_tones } from './integration.ts'
import styles from './integrations.module.css'

interface ReceiptsProps {
  receipts: UseQueryResult<List<Receipt>>
  /** Uses a payload as the sample. */
  onUse: (payload: unknown) => void
}

export function Receipts({ receipts: { data, error, refetch }, onUse }: ReceiptsProps) {
  if (error) return <LoadError error={error} retry={refetch} />
  if (!data)
    return (
      <div className={styles.waiting}>
        <LoadingSkeleton />
      </div>
    )
  if (data.data.length === 0)
    return (
      <EmptyState icon={<PlugIcon size={24} />} title="Nothing received yet">
        Send a request to the webhook URL. It appears here within seconds.
      </EmptyState>
    )
  return (
    <ol className={styles.receipts} aria-label="Received">
      {data.data.map((receipt) => (
        <li key={receipt.id}>
          <Disclosure summary={<ReceiptSummary {...receipt} />}>
            <ReceiptDetails receipt={receipt} onUse={onUse} />
          </Disclosure>
        </li>
      ))}
    </ol>
  )
}

const ReceiptSummary = ({ outcome, reasons, received_at }: Receipt) => (
  <>
    <Status tone={outcome_tones[outcome]}>{outcome_names[outcome]}</Status>
    <span className={styles.reason}>{reasons[0]}</span>
    <span className={styles.when}>
      <RelativeTime time={received_at} />
    </span>
  </>
)

function ReceiptDetails({
  receipt: { reasons, contact_id, payload },
  onUse,
}: {
  receipt: Receipt
  onUse: ReceiptsProps['onUse']
}) {
  const workspace = useWorkspaceId()
  return (
    <>
      {reasons.length > 1 && (
        <ul className={styles.reasons}>
          {reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
      {payload === null ? (
        <p className={styles.hint}>The payload is not stored.</p>
      ) : (
        <JsonBlock label="Payload" value={payload} />
      )}
      <Group>
        {payload !== null && (
          <Button variant="default" size="xs" onClick={() => onUse(payload)}>
            Use as sample
          </Button>
        )}
        {contact_id && (
          <Anchor
            size="sm"
            renderRoot={(props) => (
              <Link to="/w/$workspace/contacts" params={{ workspace }} search={{ contact: contact_id }} {...props} />
            )}
          >
            View contact
          </Anchor>
        )}
      </Group>
    </>
  )
}
