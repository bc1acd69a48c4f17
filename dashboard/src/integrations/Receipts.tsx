import { Anchor, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { Integration, Receipt } from '../../../server/integrations/schema.ts'
import { useApi } from '../kit/api.ts'
import { JsonBlock } from '../kit/CodeBlock.tsx'
import { Drawer } from '../kit/Drawer.tsx'
import { formatExactTime, formatTimeZone } from '../kit/format.ts'
import { PlugIcon } from '../kit/icons.tsx'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { Status } from '../kit/Status.tsx'
import { EmptyState, LoadError } from '../kit/states.tsx'
import { type Column, Table } from '../kit/Table.tsx'
import { describeReason, outcome_names, outcome_tones, receiptsQuery } from './integration.ts'
import styles from './integrations.module.css'

const route = '/w/$workspace/integrations/$id'

/** Lists the requests that were received. The URL holds the open one. */
export function Receipts({ integration: { id } }: { integration: Integration }) {
  const api = useApi()
  const navigate = useNavigate()
  const { receipt: open_id } = useSearch({ from: route })
  const { data, error, refetch } = useQuery(receiptsQuery(api, id))
  const close = () => void navigate({ to: route, params: { workspace: api.workspace, id }, resetScroll: false })
  if (error && !data) return <LoadError error={error} retry={refetch} />
  return (
    <>
      <Table
        label="Received"
        columns={columns}
        rows={data?.data}
        getRowId={(receipt) => receipt.id}
        isHighlighted={(receipt) => receipt.id === open_id}
        empty={
          <EmptyState icon={<PlugIcon size={24} />} title="No requests yet">
            Send a request to the webhook URL. It appears here within seconds.
          </EmptyState>
        }
      />
      <ReceiptDrawer receipt={data?.data.find((one) => one.id === open_id)} onClose={close} />
    </>
  )
}

const columns: Column<Receipt>[] = [
  { id: 'outcome', name: 'Result', width: '92px', cell: (receipt) => <ReceiptLink {...receipt} /> },
  {
    id: 'reason',
    name: 'Reason',
    width: 'minmax(0, 3fr)',
    cell: ({ reasons }) => reasons[0] && <Reason text={describeReason(reasons[0])} />,
  },
  { id: 'received_at', name: 'Received', width: '112px', cell: (row) => <RelativeTime time={row.received_at} /> },
]

const Reason = ({ text }: { text: string }) => (
  <span className={styles.reason} title={text}>
    {text}
  </span>
)

function ReceiptLink({ id, outcome }: Receipt) {
  const params = useParams({ from: route })
  return (
    <Link to={route} params={params} search={{ receipt: id }} resetScroll={false}>
      <Status tone={outcome_tones[outcome]}>{outcome_names[outcome]}</Status>
    </Link>
  )
}

interface ReceiptDrawerProps {
  receipt: Receipt | undefined
  onClose: () => void
}

const ReceiptDrawer = ({ receipt, onClose }: ReceiptDrawerProps) => (
  <Drawer
    is_open={receipt !== undefined}
    label="Request"
    title={receipt && outcome_names[receipt.outcome]}
    onClose={onClose}
  >
    {receipt && <Details {...receipt} />}
  </Drawer>
)

function Details({ id, reasons, contact_id, payload, received_at }: Receipt) {
  const params = useParams({ from: route })
  return (
    <div className={styles.form}>
      <p className={styles.hint}>
        {formatExactTime(received_at)} {formatTimeZone(received_at)}
      </p>
      {reasons.length > 0 && (
        <ul className={styles.reasons}>
          {reasons.map((reason) => (
            <li key={reason}>{describeReason(reason)}</li>
          ))}
        </ul>
      )}
      {contact_id && (
        <Anchor
          size="sm"
          renderRoot={(props) => (
            <Link to="/w/$workspace/contacts/$id" params={{ ...params, id: contact_id }} {...props} />
          )}
        >
          View contact
        </Anchor>
      )}
      {payload === null ? (
        <p className={styles.hint}>The payload is not stored.</p>
      ) : (
        <>
          <JsonBlock label="Payload" value={payload} />
          <Button
            variant="default"
            size="xs"
            className={styles.start}
            renderRoot={(props) => (
              <Link to="/w/$workspace/integrations/$id/mapping" params={params} search={{ receipt: id }} {...props} />
            )}
          >
            Use as sample
          </Button>
        </>
      )}
    </div>
  )
}
