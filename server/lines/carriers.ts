import type { Carriers } from '../messages/sending.ts'
import { simulator } from './simulator/message-carrier.ts'
import { twilio } from './twilio/twilio.ts'

export const carriers: Carriers = { twilio, simulator, web: undefined }
