import type { Dialer } from '../calls/carrier.ts'
import type { Carriers } from '../messages/sending.ts'
import { simulator } from './simulator/message-carrier.ts'
import { twilioDialer } from './twilio/dialer.ts'
import { twilio } from './twilio/twilio.ts'

export const carriers: Carriers = { twilio, simulator, web: undefined }
export const dialer: Dialer = twilioDialer
