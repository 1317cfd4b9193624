import { describe, expect, it } from 'vitest';
import { loginName, ownerFromLogin, ownerOfDeploy, sharedOwnerWarning } from '../../../runner/rds/deploy/owner.ts';

it('an owner that was named needs no login name, which not every user has', () => {
  const unknown = (): never => {
    throw new Error('uv_os_get_passwd returned ENOENT');
  };
  expect(ownerOfDeploy('alice')).toBe('alice');
  expect(() => loginName(unknown)).toThrow(/^User \d+ has no login name.*--owner WHO/);
});

describe('an owner that was made from a login name', () => {
  it.each(['root', 'ubuntu', 'ec2-user', 'Administrator', 'runner'])('%s may be that of several people', (login) => {
    expect(sharedOwnerWarning(login)).toContain(
      `The owner defaults to "${ownerFromLogin(login)}", from the login name`,
    );
  });

  it('may be that of several people where the login name was too long', () => {
    const [one, other] = ['christophersmith', 'christopherson'];
    expect(ownerFromLogin(one)).toBe(ownerFromLogin(other));
    expect(sharedOwnerWarning(one)).toContain('Set your own: -c owner=WHO.');
  });

  it.each(['alice', 'Bob.Jones', '2fast', 'rooter'])('%s is that of one person, as far as one can see', (login) => {
    expect(sharedOwnerWarning(login)).toBeNull();
  });
});
