import { Anchor, Button } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import type { ChannelWithSettings } from '../../../server/channels/schema.ts'
import { CopyField } from '../kit/CopyField.tsx'
import { Card, Stack } from '../kit/Page.tsx'
import { toUrl } from '../kit/request.ts'
import styles from './channels.module.css'

/** Shows the snippet for websites, and the chat's own page. */
export function WebChat({ channel: { id, public_url, origins } }: { channel: ChannelWithSettings }) {
  const url = public_url ?? toUrl(`/chat/${id}`)
  const script_url = url.replace(/[^/]+$/, 'widget.js')
  return (
    <Stack>
      <CopyField
        label="Snippet for your website"
        value={`<script src="${script_url}" data-channel="${id}" async></script>`}
        copy_label="Copy snippet"
      />
      <p className={styles.hint}>
        {origins.length === 0
          ? 'Paste it before </body>. First add your website to the settings below: no website may show the chat yet.'
          : `Paste it before </body>. These websites may show the chat: ${origins.join(', ')}.`}
      </p>
      <CopyField label="Page of the chat" value={url} copy_label="Copy link" />
      <Anchor href={url} target="_blank" rel="noreferrer" className={styles.link}>
        Open the page
      </Anchor>
    </Stack>
  )
}

/** Opens the chat on request, because it takes the focus and begins a conversation. Its own close button hides it. */
export function ChatPreview({ id }: { id: string }) {
  const [is_open, setOpen] = useState(false)
  const frame = useRef<HTMLIFrameElement>(null)
  useEffect(() => {
    const onMessage = ({ source, data }: MessageEvent) => {
      if (source === frame.current?.contentWindow && data === 'chat:close') setOpen(false)
    }
    addEventListener('message', onMessage)
    return () => removeEventListener('message', onMessage)
  }, [])
  return (
    <Card title="Preview">
      {is_open ? (
        <iframe ref={frame} className={styles.preview} src={toUrl(`/chat/${id}`)} title="Preview of the chat" />
      ) : (
        <Button variant="default" onClick={() => setOpen(true)}>
          Try the chat
        </Button>
      )}
    </Card>
  )
}
