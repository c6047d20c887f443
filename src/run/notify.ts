// Tells somebody outside of milestones and findings, by a command or a webhook. It is a sink like any other, sees what all readers see,
// and nothing that happens out there can hold the run up: its trouble comes back as notices, a few of them.
import { createClassifier } from '../analyze/classify.ts'
import type { UserRules } from '../analyze/rules.ts'
import { stringifyJson } from '../base/json.ts'
import { plural } from '../base/text.ts'
import type { Event, Payload } from '../model/event.ts'
import { makeEvent } from '../model/make.ts'
import { createCommand } from './notify-command.ts'
import { createQueue, type Deliver, type Queue, type Tally } from './notify-queue.ts'
import { headlineOf } from './notify-text.ts'
import { createWebhook, type Webhook, type WebhookTimes } from './notify-webhook.ts'
import type { EventSink } from './contract.ts'

export { WebhookError, webhookOf } from './notify-webhook.ts'

export type NotifierParts = {
  /** For `/bin/sh -c`. */
  command?: string | undefined
  webhook?: Webhook | undefined
  /** Where the command runs, and of what it gets the usual variables. */
  cwd: string
  env: Readonly<Record<string, string | undefined>>
  rules?: UserRules | undefined
  now(): number
  /** Takes notices about deliveries that failed, also while the notifier settles. */
  emit(event: Event): void
  times?: Partial<NotifierTimes> | undefined
}

export type NotifierTimes = {
  /** For one run of the command. */
  commandMs: number
  /** Between two of them, as long as the run goes on: at most so many processes a second, whatever happens. */
  gapMs: number
  /** After the end of the run, for what still waits. */
  settleMs: number
  webhook: WebhookTimes
}

/** `settled` ends it, and never rejects: after that nothing is told, and nothing that it started runs. */
export type Notifier = EventSink & { settled(): Promise<void> }

type Channel = { flag: string; queue: Queue; failures: number }

const mostNotices = 3 // of each channel, and one more at the end
const longestMessage = 1 << 20
const own = 'policy:notify'

export function createNotifier({ command, webhook, cwd, env, rules, now, emit, times = {} }: NotifierParts): Notifier {
  const { commandMs, gapMs = 100, settleMs = 5000, webhook: webhookTimes } = times
  const classifier = createClassifier({ rules })
  const channels: Channel[] = []
  let session: string | undefined
  let settling: Promise<void> | undefined

  function open(flag: string, deliver: Deliver, gap = 0): void {
    const channel: Channel = { flag, failures: 0, queue: createQueue({ deliver, gapMs: gap, onFailure: (why) => failed(channel, why) }) }
    channels.push(channel)
  }

  function failed(channel: Channel, why: string): void {
    channel.failures++
    if (channel.failures > mostNotices) return
    const last = channel.failures === mostNotices ? '; further failures are told at the end' : ''
    tell({ level: 'warn', code: 'hook-failed', text: `${channel.flag}: ${why}${last}`, data: { flag: channel.flag } })
  }

  const tell = (notice: Payload<'notice'>): void => emit(makeEvent('notice', notice, { at: now(), session, synthetic: own }))

  async function settle(): Promise<void> {
    await Promise.all(
      channels.map(async ({ flag, queue }) => {
        const tally = await queue.close(settleMs)
        const text = summaryOf(tally)
        if (text !== undefined) tell({ level: 'warn', code: 'hook-failed', text: `${flag}: ${text}`, data: { flag, ...tally } })
      }),
    )
  }

  if (command !== undefined) open('--on-milestone', createCommand({ command, cwd, env, timeoutMs: commandMs }), gapMs)
  if (webhook !== undefined) open('--webhook', createWebhook(webhook, webhookTimes))
  const settled = (): Promise<void> => (settling ??= settle())
  return {
    push(event) {
      session = event.session ?? session
      if (settling !== undefined || event.synthetic === own) return
      const verdict = classifier.push(event)
      // That a session is done says nothing of how: its end, which follows, does.
      if (verdict.class === 'ACTIVITY' || (event.kind === 'status.update' && event.phase === 'done')) return
      const message = messageOf(event, verdict)
      for (const { queue } of channels) queue.push(message)
    },
    flush() {},
    end: () => void settled(),
    settled,
  }
}

function messageOf(event: Event, { class: itsClass, rule }: { class: string; rule: string }): string {
  const { v, seq, at, kind, run, session, agent, turn } = event
  const head = { class: itsClass, rule, run, session, text: headlineOf(event) }
  const message = stringifyJson({ ...head, event })
  return message.length <= longestMessage
    ? message
    : stringifyJson({ ...head, cut: true, event: { v, seq, at, kind, run, session, agent, turn } })
}

/** Nothing when all arrived, or when every failure was told. */
function summaryOf({ delivered, failed, dropped, late }: Tally): string | undefined {
  if (dropped === 0 && late === 0 && failed <= mostNotices) return undefined
  const all = delivered + failed + dropped + late
  const parts = [
    failed > 0 && `${failed} failed`,
    dropped > 0 && `${dropped} gave way to newer ones`,
    late > 0 && `${late} still waited when the run was over`,
  ].filter((part) => part !== false)
  return `${plural(delivered, 'message')} of ${all} arrived; ${parts.join(', ')}`
}
