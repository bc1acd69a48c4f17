import type { Turn } from '../../../server/conversations/schema.ts'
import { JsonBlock } from '../kit/CodeBlock.tsx'
import { Disclosure } from '../kit/Disclosure.tsx'
import { formatNumber } from '../kit/format.ts'
import styles from './conversations.module.css'

const tool_status_names: Record<Turn['tools'][number]['status'], string> = {
  running: 'Running',
  succeeded: 'Succeeded',
  failed: 'Failed',
  timeout: 'Timed out',
  invalid_arguments: 'Invalid arguments',
  unknown: 'Unknown result',
  refused: 'Not run',
}

/** Says why the service has not run a tool, by the `reason` of the result. */
const reasons = new Map<unknown, string>([
  ['repeated', 'Not run: already done'],
  ['calls_max', 'Not run: too many calls'],
  ['confirm', 'Not run without a yes'],
])

function statusText({ status, result }: Turn['tools'][number]): string {
  const is_refused = status === 'refused' && typeof result === 'object' && result !== null && 'reason' in result
  return (is_refused && reasons.get(result.reason)) || tool_status_names[status]
}

export function ToolRunView({ run }: { run: Turn['tools'][number] }) {
  const { name, status, duration_ms } = run
  return (
    <div className={styles.tool}>
      <Disclosure
        summary={
          <>
            <code>{name}</code>
            <span data-status={status} className={styles.toolStatus}>
              {statusText(run)}
            </span>
            {duration_ms !== null && <span className={styles.duration}>{formatNumber(duration_ms)} ms</span>}
          </>
        }
      >
        <JsonBlock label={`Arguments of ${name}`} value={run.arguments} />
        <JsonBlock label={`Result of ${name}`} value={run.result} />
      </Disclosure>
    </div>
  )
}
