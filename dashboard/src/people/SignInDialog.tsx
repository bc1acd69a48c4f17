import { Button, Modal } from '@mantine/core'
import { useContinueSession, useIsExpired, useSession } from '../kit/session.ts'
import { useSignedOut } from '../kit/sign-out.ts'
import { SignInForm } from './SignInForm.tsx'

/** Asks to sign in over the page when the session has ended, so that nothing typed is lost. */
export function SignInDialog() {
  const is_expired = useIsExpired()
  const { person } = useSession()
  const continueSession = useContinueSession()
  const signedOut = useSignedOut()
  return (
    <Modal
      opened={is_expired}
      onClose={() => {}}
      title="Sign in to continue"
      size="sm"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      zIndex={500}
    >
      <p>Your session has ended. Everything on this page is kept.</p>
      <SignInForm email={person.email} onSignedIn={continueSession} />
      <Button variant="subtle" color="gray" fullWidth mt={8} onClick={signedOut}>
        Sign out instead
      </Button>
    </Modal>
  )
}
