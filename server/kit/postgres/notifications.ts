import { inSpan } from '../traces/span.ts'

/** Something was written in a workspace. Lets background work start at once, not at its next poll. */
export interface Notification {
  topic: string
  workspace: string
  /** The id of what was written, if subscribers need to know. */
  id?: string
  /** False when the write leaves nothing to do in the background: only watchers of the row look at it. */
  is_due?: boolean
}

/** Notifications within this process. Other processes rely on polling. */
export function openNotifications() {
  const subscribers = new Set<(notification: Notification) => void>()
  return {
    publish(notification: Notification): void {
      // Subscribers run in no span, because their work belongs to no request.
      inSpan(undefined, () => {
        for (const subscriber of subscribers) subscriber(notification)
      })
    },
    subscribe(subscriber: (notification: Notification) => void): () => void {
      subscribers.add(subscriber)
      return () => subscribers.delete(subscriber)
    },
  }
}
