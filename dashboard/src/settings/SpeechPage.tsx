import { useTitle } from '../kit/Page.tsx'
import { SpeechCard } from '../speech/SpeechCard.tsx'
import styles from './settings.module.css'

export function SpeechPage() {
  useTitle('Speech')
  return (
    <div className={styles.narrow}>
      <SpeechCard />
    </div>
  )
}
