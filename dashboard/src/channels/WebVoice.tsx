import { Anchor } from '@mantine/core'
import type { ChannelWithSettings } from '../../../server/channels/schema.ts'
import { CopyField } from '../kit/CopyField.tsx'
import { Stack } from '../kit/Page.tsx'
import { toUrl } from '../kit/request.ts'
import styles from './channels.module.css'

/** The page on which visitors talk. */
export function WebVoice({ channel: { id, public_url, origins } }: { channel: ChannelWithSettings }) {
  const url = public_url ?? toUrl(`/voice/${id}`)
  return (
    <Stack>
      <CopyField label="Page to talk on" value={url} copy_label="Copy link" />
      <Anchor href={url} target="_blank" rel="noreferrer" className={styles.link}>
        Open the page
      </Anchor>
      {origins.length > 0 && (
        <CopyField
          label="Frame for your website"
          value={`<iframe src="${url}" title="Talk" allow="microphone"></iframe>`}
          copy_label="Copy frame"
        />
      )}
      <p className={styles.hint}>
        To call from a page of your own instead, see{' '}
        <Anchor href={toUrl('/docs#talk-from-your-own-page')} target="_blank" rel="noreferrer" fz="inherit">
          Talk from your own page
        </Anchor>
        .
      </p>
    </Stack>
  )
}
