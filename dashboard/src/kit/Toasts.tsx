import { CloseButton } from '@mantine/core'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { currentToasts, dismissToast, subscribeToToasts, type Toast } from './toast.ts'
import styles from './toasts.module.css'

/**
 * Shows toasts over the sidebar, below its links, so that they cover nothing of the page. They are at the top where
 * there is no room.
 */
export function Toasts() {
  const toasts = useSyncExternalStore(subscribeToToasts, currentToasts)
  return (
    toasts.length > 0 && (
      <div className={styles.toasts}>
        {toasts.map((toast) => (
          <ShownToast key={toast.id} toast={toast} />
        ))}
      </div>
    )
  )
}

/** A toast, which stays while the pointer or the focus is on its button. */
function ShownToast({ toast: { id, message, tone, shown_ms } }: { toast: Toast }) {
  const [is_held, setHeld] = useState(false)
  useEffect(() => {
    if (is_held) return
    const timer = setTimeout(() => dismissToast(id), shown_ms)
    return () => clearTimeout(timer)
  }, [id, is_held, shown_ms])
  return (
    <div role="alert" className={styles.toast} data-tone={tone}>
      <span className={styles.message}>{message}</span>
      <CloseButton
        size="sm"
        aria-label="Dismiss"
        onPointerEnter={() => setHeld(true)}
        onPointerLeave={() => setHeld(false)}
        onFocus={() => setHeld(true)}
        onBlur={() => setHeld(false)}
        onClick={() => dismissToast(id)}
      />
    </div>
  )
}
