import { Button, Modal } from '@mantine/core'
import { useContinueSession, useIsExpired, useSession, useSetSession } from '../kit/session.ts'
import { SignInForm } from './SignInForm.tsx'

/** Shown over the page when the session has ended, so that nothing typed is lost. */
export function SignInDialog() {
  const is_expired = useIsExpired()
  const { person } = useSession()
  const continueSession = useContinueSession()
  const setSession = useSetSession()
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
      <Button variant="subtle" color="gray" fullWidth mt={8} onClick={() => setSession(null)}>
        Sign out instead
      </Button>
    </Modal>
  )
}
