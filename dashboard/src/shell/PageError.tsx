import { Button } from '@mantine/core'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { useCallback, useEffect, useState } from 'react'
import { useConnection, useIsConnected } from '../kit/connection.ts'
import { AlertIcon } from '../kit/icons.tsx'
import { useTitle } from '../kit/Page.tsx'
import styles from '../kit/page.module.css'
import { PageCodeMissing, reloadOnce } from './lazy-page.tsx'

/** Replaces a page that failed, with the shell around it. Recovers by itself when the server is back. */
export function PageError({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const connection = useConnection()
  const is_connected = useIsConnected()
  const [was_lost, setWasLost] = useState(false)
  const is_code_missing = error instanceof PageCodeMissing
  useTitle('Couldn’t load this page')
  const retry = useCallback(async () => {
    if (is_code_missing) return (await connection.check()) && location.reload()
    reset()
    await router.invalidate()
  }, [connection, is_code_missing, reset, router])
  useEffect(() => {
    // The server is asked first: while it is down, a reload would lose the shell.
    if (is_code_missing) void connection.check().then((is_up) => is_up && reloadOnce())
  }, [connection, is_code_missing])
  useEffect(() => {
    if (!is_connected) return setWasLost(true)
    if (!was_lost) return
    void retry()
  }, [is_connected, was_lost, retry])
  return (
    <div className={styles.empty}>
      <div className={styles.emptyIcon}>
        <AlertIcon size={20} />
      </div>
      <h1 className={styles.emptyTitle}>Couldn’t load this page</h1>
      <p className={styles.emptyText} role="alert">
        {is_connected
          ? 'Something went wrong. Try again, or go back.'
          : 'It opens when the server can be reached again.'}
      </p>
      <Button variant="default" onClick={() => void retry()}>
        Try again
      </Button>
    </div>
  )
}

/** Replaces a page that failed outside of the shell. */
export const BarePageError = (props: ErrorComponentProps) => (
  <main id="main">
    <PageError {...props} />
  </main>
)
