import type { ChannelWithSettings } from '../../../server/channels/schema.ts'
import { CopyField } from '../kit/CopyField.tsx'
import { Stack } from '../kit/Page.tsx'
import styles from './channels.module.css'

/** Shows the phone number, and what its carrier has to know. */
export const PhoneNumber = ({ channel: { address, inbound_url } }: { channel: ChannelWithSettings }) => (
  <Stack>
    <CopyField label="Phone number" value={address ?? ''} copy_label="Copy number" />
    {inbound_url === null ? (
      <p className={styles.hint}>A simulator reaches simulated people. The last two digits of a number choose who.</p>
    ) : (
      <>
        <CopyField label="Webhook URL" value={inbound_url} copy_label="Copy URL" />
        <p className={styles.hint}>
          In the Twilio Console, open the number, and under “Messaging Configuration” set “A message comes in” to
          Webhook, this URL and HTTP POST.
        </p>
        <ReachHint inbound_url={inbound_url} />
      </>
    )}
  </Stack>
)

/** Says that Twilio surely can't reach this server, if its URL isn't HTTPS. */
export const ReachHint = ({ inbound_url }: { inbound_url: string }) =>
  !inbound_url.startsWith('https:') && (
    <p className={styles.hint}>
      Twilio can only reach a public address: set PUBLIC_URL to the https:// address of this server.
    </p>
  )
