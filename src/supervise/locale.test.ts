// What bash reads depends on its locale: a command that changes it is not what it seems.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bash, broker, decision } from './support.test.ts'

const narrow = ['bash:echo *=allow', 'bash:ls *=allow', 'bash:sort *=allow', 'bash:env *=allow', 'bash:export *=allow', 'bash:bash *=allow']

test('a command that sets a locale in which bash reads otherwise is asked about', () => {
  for (const command of [
    'LC_ALL=zh_CN.gbk; echo "中\\"; ./evil #"',
    'LC_ALL=zh_CN.gbk echo a',
    'LANG=zh_CN bash -c "echo a"',
    'export LC_ALL=ja_JP.SJIS; echo a',
    'export LC_ALL; echo a',
    'env LC_ALL=zh_CN.GBK bash -c "echo a"',
    'LC_CTYPE=$X echo a',
    'LC_ALL=C.UTF-8/../../tmp/gbk echo a',
    'for LC_ALL in zh_CN.gbk; do echo a; done',
    'LC_ALL+=x echo a',
    ': ${LC_ALL:=zh_CN.gbk}; echo a',
    'read LC_ALL; echo a',
    'printf -v LC_ALL zh_CN.gbk; echo a',
    'LANGUAGE=x echo a',
    'LOCPATH=. LC_ALL=C.UTF-8 ls',
    ...[
      'BASH_ENV',
      'ENV',
      'SHELLOPTS',
      'BASHOPTS',
      'IFS',
      'PS4',
      'GLOBIGNORE',
      'PATH',
      'LD_PRELOAD',
      'PROMPT_COMMAND',
      'BASH_XTRACEFD',
    ].flatMap((name) => [`${name}=x echo a`, `${name}=x; echo a`, `export ${name}=x; echo a`, `env ${name}=x ls`]),
  ])
    assert.equal(decision(broker(narrow), bash(command)), 'reject', command)
})

test('a plain locale is everyday work', () => {
  for (const command of ['LC_ALL=C sort a', 'LANG=C.UTF-8 ls', 'export LC_ALL=en_US.UTF-8; sort a', 'env LC_ALL=C ls'])
    assert.equal(decision(broker(narrow), bash(command)), 'allow', command)
})
