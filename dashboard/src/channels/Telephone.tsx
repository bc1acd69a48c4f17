import type { ChannelWithSettings } from '../../../server/channels/schema.ts'
import { CopyField } from '../kit/CopyField.tsx'
import { Stack } from '../kit/Page.tsx'
import styles from './channels.module.css'
import { ReachHint } from './PhoneNumber.tsx'

/** Explains how to connect a number at Twilio with this channel. */
export const Telephone = ({ channel: { address, inbound_url } }: { channel: ChannelWithSettings }) => (
  <Stack>
    <ol className={styles.steps}>
      <li>
        <p>In the Twilio Console, open Phone Numbers, then Active numbers, then this number.</p>
        <CopyField label="Phone number" value={address ?? ''} copy_label="Copy number" />
      </li>
      <li>
        <p>Under “Voice Configuration”, set “A call comes in” to Webhook, this URL and HTTP POST.</p>
        <CopyField label="Webhook URL" value={inbound_url ?? ''} copy_label="Copy URL" />
      </li>
      <li>
        <p>Leave “Call status changes” empty: this server asks for reports by itself. Save the configuration.</p>
      </li>
      <li>
        <p>Check the number below, then call it.</p>
      </li>
    </ol>
    <ReachHint inbound_url={inbound_url ?? ''} />
  </Stack>
)
