import type { Attack } from './attack.ts'
import { campaignWindows } from './campaign-windows.ts'
import { forecasts } from './forecasts.ts'
import { attack as long_calls } from './long-calls.ts'
import { model_servers } from './model-server.ts'
import { attack as ranges } from './ranges.ts'
import { attack as sms_forms } from './sms-forms.ts'
import { attack as transcripts } from './transcripts.ts'

export const attacks: Attack[] = [long_calls, campaignWindows, forecasts, ranges, sms_forms, transcripts]
