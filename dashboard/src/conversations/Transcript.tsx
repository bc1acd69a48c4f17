import type { ReactNode } from 'react'
import type { Turn } from '../../../server/conversations/schema.ts'
import { FollowingSection } from '../kit/FollowingSection.tsx'
import { formatTime, formatTimeOfDay } from '../kit/format.ts'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import styles from './conversations.module.css'
import { HowItEnded } from './HowItEnded.tsx'
import { MessageStatus } from './MessageStatus.tsx'
import { ToolRunView } from './ToolRunView.tsx'
import { Unheard } from './Unheard.tsx'
import type { OpenTurn } from './useConversation.ts'
import type { Note } from './useNotes.ts'

interface TranscriptProps {
  turns: Turn[]
  open_turns: OpenTurn[]
  is_answering: boolean
  /** The side whose words are on the right. */
  own: 'contact' | 'agent'
  names: Record<Turn['role'], string>
  /** Lines that nobody has said, oldest first. */
  notes?: Note[]
  /** Renders what belongs to a turn, such as what a test says about it. */
  below?: (turn: Turn) => ReactNode
  /** The text that is shown instead of dots before the agent's first words. */
  answering?: string
}

export function Transcript(props: TranscriptProps) {
  const { turns, open_turns, is_answering, own, names, notes = [], below, answering } = props
  // Finished turns are left out: when the stream has gone on, it doesn't say that an interrupted turn is finished.
  const unfinished = open_turns.filter(({ seq }) => !turns.some((turn) => turn.seq === seq))
  const isOwn = (role: Turn['role']) => (own === 'contact') === (role === 'contact')
  return (
    <FollowingSection label="Transcript" className={styles.transcript}>
      <div role="log" className={styles.turns}>
        {inOrder(turns, notes, ({ created_at }) => Date.parse(created_at)).map((line) =>
          'at' in line ? (
            <NoteView key={line.id} note={line} />
          ) : (
            <TurnView
              key={line.seq}
              turn={line}
              is_own={isOwn(line.role)}
              name={line.author?.name ?? names[line.role]}
              below={below?.(line)}
            />
          ),
        )}
      </div>
      {shownTurns(unfinished, is_answering).map(({ seq, role, text }) => (
        <div key={seq} className={styles.turn} data-own={isOwn(role)} data-role={role}>
          <p className={styles.said}>
            {text || (
              <span className={styles.typing} role="status" aria-label={`${names[role]} is answering`}>
                {answering ?? (
                  <>
                    <i />
                    <i />
                    <i />
                  </>
                )}
              </span>
            )}
          </p>
        </div>
      ))}
    </FollowingSection>
  )
}

/** Puts notes among the turns. A note follows what was said until then. */
export function inOrder<One>(turns: One[], notes: Note[], timeOf: (turn: One) => number): (One | Note)[] {
  let rest = notes
  const lines = turns.flatMap((turn) => {
    const earlier = rest.filter(({ at }) => Date.parse(at) < timeOf(turn))
    rest = rest.slice(earlier.length)
    return [...earlier, turn]
  })
  return [...lines, ...rest]
}

export const NoteView = ({ note: { text, at } }: { note: Note }) => (
  <p className={styles.note}>
    {text} ·{' '}
    <time dateTime={at} title={formatTime(at)}>
      {formatTimeOfDay(at)}
    </time>
  </p>
)

/** Returns the turns to show. The agent's are shown before its first words, others from their first words on. */
function shownTurns(open: OpenTurn[], is_answering: boolean): OpenTurn[] {
  const shown = open.filter(({ role, text }) => role === 'agent' || text !== '')
  const is_agent_shown = shown.some(({ role }) => role === 'agent')
  return is_answering && !is_agent_shown ? [...shown, { seq: Infinity, role: 'agent', text: '' }] : shown
}

interface TurnViewProps {
  turn: Turn
  is_own: boolean
  name: string
  below: ReactNode
}

function TurnView({ turn, is_own, name, below }: TurnViewProps) {
  return (
    <div className={styles.turn} data-own={is_own} data-role={turn.role}>
      {turn.tools.map((run) => (
        <ToolRunView key={run.id} run={run} />
      ))}
      {turn.text && (
        <p className={styles.said}>
          {turn.is_interrupted ? (turn.heard ?? turn.text) : turn.text}
          <Unheard turn={turn} />
        </p>
      )}
      <Citations citations={turn.citations} />
      <HowItEnded finish_reason={turn.finish_reason} error={turn.error} />
      <p className={styles.meta}>
        {name} · <RelativeTime time={turn.created_at} />
        {turn.is_interrupted && ' · Interrupted'}
        {turn.message && turn.role !== 'contact' && (
          <>
            {' · '}
            <MessageStatus message={turn.message} />
          </>
        )}
      </p>
      {below}
    </div>
  )
}

/** The passages that an answer is based on. */
function Citations({ citations }: Pick<Turn, 'citations'>) {
  if (citations.length === 0) return null
  return (
    <ul className={styles.citations} aria-label="Sources">
      {citations.map(({ passage_id, title, url }) => (
        <li key={passage_id}>
          {url ? (
            <a href={url} target="_blank" rel="noreferrer">
              {title}
            </a>
          ) : (
            title
          )}
        </li>
      ))}
    </ul>
  )
}
