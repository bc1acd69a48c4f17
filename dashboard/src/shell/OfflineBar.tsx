import { useIsConnected } from '../kit/connection.ts'
import styles from './shell.module.css'

/** Says that the server can't be reached. The element is always in the page, so that screen readers announce it. */
export function OfflineBar() {
  const is_connected = useIsConnected()
  return (
    <div role="status" className={styles.offline} data-shown={!is_connected}>
      {!is_connected && 'Can’t reach the server. Trying again… What you see may be out of date.'}
    </div>
  )
}
