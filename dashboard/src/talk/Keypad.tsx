import { Button } from '@mantine/core'
import { type RefObject, useEffect, useState } from 'react'
import { addKey, nameOfKey, telephone_keys, typedKey } from '../../../voice/src/keys.ts'
import type { VoiceCall } from '../../../voice/src/types.ts'
import styles from './talk.module.css'

interface KeypadProps {
  call: VoiceCall
  is_open: boolean
  /** The element in which keys can be typed while it has the focus. */
  area: RefObject<HTMLElement | null>
}

/** Shows the keys of a telephone, and which were pressed. Keys can be typed also while it is closed. */
export function Keypad({ call, is_open, area }: KeypadProps) {
  const [pressed, setPressed] = useState('')
  useEffect(() => {
    const type = (event: KeyboardEvent) => {
      const key = typedKey(event)
      if (key !== undefined) press(call, key, setPressed)
    }
    const { current } = area
    current?.addEventListener('keydown', type)
    return () => current?.removeEventListener('keydown', type)
  }, [call, area])
  return (
    <>
      <p className={styles.state} role="status">
        {pressed && `Keys pressed: ${pressed}`}
      </p>
      {is_open && (
        <fieldset id="keypad" className={styles.keys} aria-label="Keypad">
          {telephone_keys.map((key) => (
            <Button
              key={key}
              variant="default"
              aria-label={nameOfKey(key)}
              onClick={() => press(call, key, setPressed)}
            >
              {key}
            </Button>
          ))}
        </fieldset>
      )}
    </>
  )
}

function press(call: VoiceCall, key: string, setPressed: (change: (before: string) => string) => void): void {
  if (call.state !== 'live') return
  call.press(key)
  setPressed((before) => addKey(before, key))
}
