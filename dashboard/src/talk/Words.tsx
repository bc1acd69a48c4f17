import type { Words as Said } from '../../../voice/src/types.ts'
import { FollowingSection } from '../kit/FollowingSection.tsx'
import styles from './talk.module.css'

/** Shows what is said, as it is said. */
export const Words = ({ words }: { words: Said[] }) => (
  <FollowingSection label="Transcript" className={styles.transcript}>
    <div role="log" className={styles.words}>
      {words.map(({ role, text }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: words are only added at the end
        <p key={index} className={styles.said} data-role={role}>
          <span className={styles.who}>{role === 'agent' ? 'Agent' : 'You'}</span>
          {text}
        </p>
      ))}
    </div>
  </FollowingSection>
)
