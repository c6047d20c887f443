// action.yml, the examples and the reports, run as a runner runs them, with a scripted model in place of a real one.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { suite, test, type TestContext } from 'node:test'
import {
  action,
  type GitlabJob,
  type Job,
  type Ran,
  runAction,
  runGitlab,
  runSteps,
  type Step,
  type Workflow,
  yamlOf,
} from './ci-runner.ts'
import { blocksOf } from './docs.ts'
import { createProject } from './project.ts'
import { quote } from './quote.ts'
import { env, fixture, root, sluice } from './run.ts'
import { parseJunit } from './xml.ts'

// ── places and models ────────────────────────────────────────────────────────────────────────────────────────────────────

/** What an agent may say to be taken for a runner's command, an output or markup. */
const evil = [
  'Done.',
  '::error::made up',
  '  ::add-mask::done',
  'see ##[add-mask]done',
  '::set-output name=answer::forged',
  'EOF',
  'cost=0',
  '%0A::warning::x',
  '<b>`| @you ![](https://evil.example)',
].join('\n')

const yaml = (turns: readonly object[]): string => JSON.stringify({ model: 'anthropic/claude-sonnet-4-5', turns })
const scripts: Record<string, string> = {
  good: yaml([{ text: 'I write.', tools: [{ name: 'write', input: { filePath: 'note.txt', content: 'hello\n' } }] }, { text: evil }]),
  refused: yaml([{ text: 'I delete.', tools: [{ name: 'bash', input: { command: 'rm -rf src' } }] }, { text: 'I may not.' }]),
  broken: yaml([{ error: { status: 400, message: 'no such model ##[add-mask]model' } }]),
  slow: yaml([{ text: 'Too late.', delay: '10m' }]),
  peek: yaml([
    { tools: [{ name: 'bash', input: { command: 'env | grep -c -e ^GITHUB_ -e ^INPUT_ -e ^SLUICE_ROOT -e ^RUNNER_; command -v node' } }] },
    { text: 'I have looked.' },
  ]),
}

type Place = Job & { model(name: string): string }

function place(t: TestContext): Place {
  const project = createProject({ 'src/a.js': '' })
  t.after(() => project[Symbol.dispose]())
  const temp = join(project.top, 'runner')
  mkdirSync(temp)
  for (const [name, script] of Object.entries(scripts)) writeFileSync(join(temp, `${name}.yaml`), script)
  return {
    workspace: project.root,
    temp,
    env: { ...project.env, TMPDIR: project.top },
    contexts: {},
    model: (name) => `script/${join(temp, `${name}.yaml`)}`,
  }
}

const annotations = ({ commands }: Ran): string[] => commands.map(({ name, data }) => `${name}: ${data}`)
/** Nothing that the agent says may be any other command. */
const onlyAnnotations = ({ commands }: Ran): void =>
  assert.deepEqual(
    commands.filter(({ name, properties }) => !/^(error|warning|notice)$/.test(name) || !properties['title']),
    [],
  )
const rules = 'write=allow\nbash:echo *=allow'

// ── the action ───────────────────────────────────────────────────────────────────────────────────────────────────────────

suite('action.yml', () => {
  test('a run that goes well: outputs, summary, one notice', (t) => {
    const at = place(t)
    const ran = runAction(at, { prompt: 'take a note', model: at.model('good'), rules })
    assert.deepEqual(ran.codes, { install: 0, run: 0, report: 0 }, ran.log)
    const { 'exit-code': code, log, cost, answer } = ran.outputs
    assert.deepEqual([code, answer], ['0', evil])
    assert.ok(Number(cost) > 0)
    assert.ok(!log!.startsWith(at.workspace) && sluice(['validate', log!]).status === 0)
    assert.equal(readFileSync(join(at.workspace, 'note.txt'), 'utf8'), 'hello\n')
    onlyAnnotations(ran)
    assert.match(annotations(ran).join('\n'), /^notice: done, after 1 turn, 2 model calls, .*\$[\d.]+ \(scripted model, no real cost\)$/)
    assert.match(ran.summary, /^### ✅ Agent run: done$/m)
    assert.match(ran.summary, /^- `note\.txt`$/m)
    assert.match(ran.summary, /^- \*\*Cost\*\*: .*\$/m)
    assert.match(ran.log, /::add-mask::done/, 'the log shows what the agent says')
  })

  test('a call that is refused: told, and with fail-on the step fails', (t) => {
    const at = place(t)
    const refused = runAction(at, { prompt: 'go', model: at.model('refused') })
    assert.deepEqual(refused.codes, { install: 0, run: 0, report: 0 }, refused.log)
    assert.match(annotations(refused).join('\n'), /^warning: bash rm -rf src: refused \(nobody to ask\)$/m)
    assert.match(refused.summary, /\*\*Refused\*\* \(1\)\n\n- `bash rm -rf src: refused \(nobody to ask\)`/)
    const failed = runAction(at, { prompt: 'go', model: at.model('refused'), 'fail-on': 'error,denied' })
    assert.deepEqual(failed.codes, { install: 0, run: 0, report: 1 }, failed.log)
    assert.equal(failed.outputs['exit-code'], '0')
    assert.match(annotations(failed).join('\n'), /^error: bash rm -rf src: refused/m)
    assert.ok(existsSync(join(at.workspace, 'src')))
  })

  test('a run that fails: its exit code, an error, and still all outputs', (t) => {
    const at = place(t)
    const ran = runAction(at, { prompt: 'go', model: at.model('broken') })
    assert.deepEqual(ran.codes, { install: 0, run: 0, report: 1 }, ran.log)
    assert.equal(ran.outputs['exit-code'], '1')
    assert.equal(ran.outputs['answer'], '')
    onlyAnnotations(ran)
    assert.match(annotations(ran)[0]!, /^error: failed/)
    assert.match(ran.summary, /^### ❌ Agent run: failed$/m)
  })

  test('a run that takes too long: 124', (t) => {
    const at = place(t)
    const ran = runAction(at, { prompt: 'go', model: at.model('slow'), timeout: '300ms' })
    assert.deepEqual(ran.codes, { install: 0, run: 0, report: 124 }, ran.log)
    assert.equal(ran.outputs['exit-code'], '124')
    assert.match(annotations(ran)[0]!, /^error: failed \(timeout/)
  })

  test('wrong inputs: the step fails and says where to look', (t) => {
    const at = place(t)
    const log = runAction(at, { model: at.model('good'), prompt: 'a', log: 'a\nexit-code=0' })
    assert.deepEqual(log.codes, { install: 0, run: 2 }, log.log)
    const none = runAction(at, { model: at.model('good') })
    assert.deepEqual(none.codes, { install: 0, run: 0, report: 2 }, none.log)
    assert.match(none.log, /the prompt is empty/)
    assert.match(annotations(none).join(), /^error: The run did not begin \(exit code 2\)/)
    const both = runAction(at, { model: at.model('good'), prompt: 'a', 'prompt-file': 'b' })
    assert.equal(both.codes['report'], 2)
    assert.match(both.log, /--prompt-file is given twice/)
    const failOn = runAction(at, { prompt: 'take a note', model: at.model('good'), rules, 'fail-on': 'eror' })
    assert.equal(failOn.codes['report'], 2)
    assert.match(failOn.log, /--fail-on "eror" is not known; did you mean error\?/)
  })

  test('limits, options, folder, prompt file and log reach the run', (t) => {
    const at = place(t)
    mkdirSync(join(at.workspace, 'a folder'))
    writeFileSync(join(at.workspace, 'prompt.md'), 'take a note')
    const inputs = { model: at.model('good'), 'prompt-file': 'prompt.md', 'working-directory': 'a folder', log: 'logs/run.ndjson', rules }
    const ran = runAction(at, inputs)
    assert.equal(ran.codes['report'], 0, ran.log)
    assert.ok(existsSync(join(at.workspace, 'a folder/note.txt')) && existsSync(join(at.workspace, 'logs/run.ndjson')))
    assert.equal(ran.outputs['log'], join(at.workspace, 'logs/run.ndjson'))
    for (const [limit, value] of [
      ['max-turns', '1'],
      ['max-tokens', '1'],
      ['max-tool-calls', '0.5'],
    ] as const) {
      const limited = runAction(at, { prompt: 'go', model: at.model('good'), rules, [limit]: value })
      assert.equal(limited.outputs['exit-code'], limit === 'max-tool-calls' ? '2' : '4', `${limit}: ${limited.log}`)
    }
    assert.equal(runAction(at, { prompt: 'go', model: at.model('good'), rules, 'max-cost': '0.000001' }).outputs['exit-code'], '4')
    const elsewhere = place(t)
    const reading = runAction(elsewhere, { prompt: 'go', model: at.model('good'), rules, options: '--read-only\n--label=x y' })
    assert.match(readFileSync(reading.outputs['log']!, 'utf8'), /"label":"x y"/)
    assert.ok(!existsSync(join(elsewhere.workspace, 'note.txt')), 'a gate of the options holds')
  })

  test('another agent: a recording', (t) => {
    const at = place(t)
    const ran = runAction(at, { agent: `replay:${fixture('claude/2.1.325/b-read.ndjson')}`, options: '--replay-speed=0' })
    assert.equal(ran.codes['report'], 0, ran.log)
    assert.match(ran.summary, /`claude-code 2\.1\.325`/)
  })

  test('summary and annotations can be switched off', (t) => {
    const at = place(t)
    const ran = runAction(at, { prompt: 'go', model: at.model('refused'), summary: 'false', annotations: 'false', 'fail-on': 'denied' })
    assert.deepEqual([ran.summary, annotations(ran), ran.codes['report']], ['', [], 1])
  })

  test('no input is a command', (t) => {
    const at = place(t)
    // The second one closes quotes; where there are none, it would be no legal line of a shell.
    const texts = ['$(touch pwned); touch pwned', '"; touch pwned; \'; touch pwned #\n${{ touch pwned }}\ntouch pwned']
    for (const name of Object.keys(action.inputs)) {
      for (const text of texts) {
        const ran = runAction(at, { prompt: 'go', model: at.model('good'), [name]: text })
        assert.equal(existsSync(join(at.workspace, 'pwned')), false, name)
        onlyAnnotations(ran)
      }
    }
  })

  test('the agent sees nothing of the runner, and the Node of the job', (t) => {
    const at = place(t)
    const bin = join(at.temp, 'bin')
    mkdirSync(bin)
    symlinkSync(join(root, 'node_modules/node/bin/node'), join(bin, 'node'))
    const job = { ...at, env: { ...at.env, PATH: `${bin}:${at.env['PATH']}` } }
    const ran = runAction(job, { prompt: 'go', model: at.model('peek'), options: '--auto-approve' })
    const log = readFileSync(ran.outputs['log']!, 'utf8')
    assert.match(log, new RegExp(`"kind":"tool\\.end".*"text":"0\\\\n${bin}/node`))
  })

  test('a version from npm is installed beside its own Node, and only a version', (t) => {
    const at = place(t)
    // What npm would do, with this project as the package.
    const bin = join(at.temp, 'bin')
    mkdirSync(bin)
    const npm = `#!/bin/sh
printf '%s\\n' "$@" > ${quote(join(at.temp, 'npm.txt'))}
mkdir -p "$3/node_modules/sluice" && cd "$3/node_modules"
for part in bin dist package.json; do cp -R ${quote(root)}/$part sluice/$part; done
ln -s ${quote(join(root, 'node_modules/node'))} node
`
    writeFileSync(join(bin, 'npm'), npm)
    chmodSync(join(bin, 'npm'), 0o755)
    const job = { ...at, env: { ...at.env, PATH: `${bin}:${at.env['PATH']}` } }
    const ran = runAction(job, { prompt: 'take a note', model: at.model('good'), rules, version: '1.2.3-rc.1' })
    assert.deepEqual(ran.codes, { install: 0, run: 0, report: 0 }, ran.log)
    const packages = join(at.temp, 'sluice-1.2.3-rc.1')
    assert.deepEqual(readFileSync(join(at.temp, 'npm.txt'), 'utf8').trim().split('\n'), [
      'install',
      '--prefix',
      packages,
      '--no-audit',
      '--no-fund',
      '--no-update-notifier',
      'sluice@1.2.3-rc.1',
      'node@24',
    ])
    for (const version of ['file:/tmp/x', '../x', '-g', '1 2', 'npm:other']) {
      const wrong = runAction(job, { prompt: 'x', model: at.model('good'), version })
      assert.deepEqual(wrong.codes, { install: 2 }, version)
      assert.match(annotations(wrong).join(), /^error: The input "version" is no version/)
    }
  })

  test('no script of the action or the examples has an expression in its text', () => {
    const workflow = yamlOf('examples/github-actions.yml') as Workflow
    const steps: Step[] = [...action.runs.steps, ...Object.values(workflow.jobs).flatMap((job) => job.steps)]
    const runs = steps.flatMap(({ run }) => run ?? [])
    assert.ok(runs.length >= 4)
    for (const run of runs) assert.doesNotMatch(run, /\$\{\{/)
    for (const step of action.runs.steps) assert.ok(step.shell === 'bash' && step.name !== undefined)
  })
})

// ── the examples ─────────────────────────────────────────────────────────────────────────────────────────────────────────

suite('examples', () => {
  const workflow = yamlOf('examples/github-actions.yml') as Workflow
  const runWorkflow = (at: Place, model: string): Ran => {
    const contexts = {
      inputs: { prompt: 'take a note; $(touch pwned)' },
      vars: { AGENT_MODEL: at.model(model) },
      secrets: { ANTHROPIC_API_KEY: 'made-up-key' },
    }
    return runSteps({ ...at, contexts }, workflow.jobs['agent']!.steps, (uses) => uses.startsWith('OWNER/sluice@'))
  }

  test('the workflow: well, refused', (t) => {
    const at = place(t)
    spawnSync('git', ['init', '-q', at.workspace], { env })
    const well = runWorkflow(at, 'good')
    assert.deepEqual(well.codes, { agent: 0, 'Show the outputs': 0 }, well.log)
    assert.match(well.log, /The agent ended with 0 and cost 0\.\d+\./)
    assert.match(well.summary, /### ✅ Agent run: done/)
    assert.deepEqual(
      well.used.map(({ uses }) => uses.split('@')[0]),
      ['actions/checkout', 'actions/upload-artifact'],
    )
    assert.ok(existsSync(well.used[1]!.with['path']!))
    onlyAnnotations(well)
    const refused = runWorkflow(at, 'refused')
    assert.deepEqual(refused.codes, { agent: 1, 'Show the outputs': 0 }, refused.log)
    assert.equal(refused.used.length, 2, 'the log is kept all the same')
    assert.ok(!existsSync(join(at.workspace, 'pwned')))
  })

  test('the GitLab job: exit codes, report and log', (t) => {
    const { agent } = yamlOf('examples/gitlab-ci.yml') as { agent: GitlabJob }
    for (const [model, code, failures] of [
      ['good', 0, []],
      ['refused', 1, ['nothing denied']],
      ['broken', 1, ['session 1 ends well', 'no error']],
    ] as const) {
      const at = place(t)
      const bin = join(at.temp, 'bin')
      mkdirSync(bin)
      writeFileSync(join(bin, 'npm'), `#!/bin/sh\necho "$@" > ${quote(join(at.temp, 'npm.txt'))}\n`, { mode: 0o755 })
      symlinkSync(join(root, 'bin/sluice'), join(bin, 'sluice'))
      const job = { ...at, env: { ...at.env, PATH: `${bin}:${at.env['PATH']}` } }
      const ran = runGitlab(job, agent, { AGENT_MODEL: at.model(model), AGENT_PROMPT: 'go $(touch pwned)' })
      assert.equal(ran.code, code, `${model}: ${ran.stdout}${ran.stderr}`)
      assert.equal(readFileSync(join(at.temp, 'npm.txt'), 'utf8'), 'install --global sluice\n')
      const report = parseJunit(readFileSync(join(at.workspace, agent.artifacts.reports.junit), 'utf8'))
      assert.deepEqual(
        report.filter(({ result }) => result === 'failure').map(({ name }) => name),
        failures,
      )
      for (const path of agent.artifacts.paths) assert.equal(sluice(['validate', join(at.workspace, path)]).status, 0)
      assert.ok(!existsSync(join(at.workspace, 'pwned')))
    }
  })

  test('the shell script: well, refused, failed, too late, not begun', (t) => {
    for (const [model, code, failures] of [
      ['good', 0, []],
      ['refused', 1, ['nothing denied']],
      ['broken', 1, ['session 1 ends well', 'no error']],
      ['slow', 124, ['session 1 ends well', 'no error']],
      ['missing', 2, undefined],
    ] as const) {
      const at = place(t)
      const folder = join(at.temp, 'report')
      const settings = { AGENT_MODEL: at.model(model), AGENT_TIMEOUT: model === 'slow' ? '300ms' : '20m' }
      const { status, stderr } = spawnSync('/bin/sh', [join(root, 'examples/agent.sh'), 'go', folder], {
        cwd: at.workspace,
        env: { ...at.env, PATH: `${join(root, 'bin')}:${at.env['PATH']}`, ...settings },
        encoding: 'utf8',
      })
      assert.equal(status, code, `${model}: ${stderr}`)
      assert.equal(existsSync(join(folder, 'report.xml')), failures !== undefined)
      if (failures === undefined) continue
      const report = parseJunit(readFileSync(join(folder, 'report.xml'), 'utf8'))
      assert.deepEqual(
        report.filter(({ result }) => result === 'failure').map(({ name }) => name),
        failures,
        model,
      )
      assert.match(readFileSync(join(folder, 'summary.md'), 'utf8'), /^### \S+ Agent run: /)
    }
  })

  test('the steps on the page: our action, and a step that keeps commands of the agent off', (t) => {
    const [uses, own] = blocksOf('docs/ci.md')
      .filter(({ info }) => info === 'yaml')
      .map(({ lines }) => (parse(lines.join('\n')) as Step[])[0]!)
    const at = place(t)
    const contexts = { secrets: { ANTHROPIC_API_KEY: 'made-up-key' } }
    const step = { ...uses!, with: { ...uses!.with, model: at.model('good') } }
    const ran = runSteps({ ...at, contexts }, [step], (name) => name.startsWith('OWNER/sluice@'))
    assert.equal(ran.codes['agent'], 0, ran.log)
    onlyAnnotations(ran)
    mkdirSync(join(at.env['HOME']!, '.config/sluice'), { recursive: true })
    writeFileSync(join(at.env['HOME']!, '.config/sluice/sluice.json'), JSON.stringify({ model: at.model('good') }))
    writeFileSync(join(at.workspace, 'prompt.md'), 'take a note')
    const job = { ...at, env: { ...at.env, PATH: `${join(root, 'bin')}:${at.env['PATH']}` } }
    const other = runSteps(job, [own!])
    assert.deepEqual([other.codes, other.commands], [{ 0: 0 }, []], other.log)
    assert.match(other.log, /::add-mask::done/)
    rmSync(join(at.workspace, 'prompt.md'))
    assert.deepEqual(runSteps(job, [own!]).codes, { 0: 2 }, 'its exit code is that of the run')
  })
})
