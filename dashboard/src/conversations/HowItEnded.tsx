import type { Turn } from '../../../server/conversations/schema.ts'
import styles from './conversations.module.css'

const cut_off: Partial<Record<NonNullable<Turn['finish_reason']>, string>> = {
  length: 'Cut off: the answer reached its length limit.',
  content_filter: 'Cut off: the provider’s content filter ended the answer.',
}

interface HowItEndedProps {
  finish_reason: Turn['finish_reason']
  /** The error of the answer. It is null also until it is known. */
  error: Turn['error']
}

/** Tells what went wrong with an answer of the agent. Shows nothing if the answer is complete. */
export function HowItEnded({ finish_reason, error }: HowItEndedProps) {
  const cut = finish_reason === null ? undefined : cut_off[finish_reason]
  const has_failed = finish_reason === 'failed' || finish_reason === 'tool_loop'
  return (
    <>
      {cut !== undefined && <p className={styles.error}>{cut}</p>}
      {(error !== null || has_failed) && (
        <p className={styles.error}>The model couldn’t answer{error === null ? '.' : `: ${error}`}</p>
      )}
    </>
  )
}
