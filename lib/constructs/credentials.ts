import { type SecretValue, Validations } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import type { Experiment } from '../../runner/contract/experiment/schema.ts';

/** The master user of every variant. There is only one secret, so that variants cannot differ by it. */
export class MasterCredentials extends Construct {
  readonly secret: ISecret;
  /** References that CloudFormation resolves. The values are not in the template. */
  readonly username: SecretValue;
  readonly password: SecretValue;
  /** Key that a reader of the secret must be allowed to use; undefined if it is the account's default key. */
  readonly kmsKeyArn: string | undefined;

  /** @param restoredUser the master user in a snapshot that the user brings */
  constructor(
    scope: Construct,
    id: string,
    { credentials: choice, encryption }: Pick<Experiment, 'credentials' | 'encryption'>,
    restoredUser = 'pgduet',
  ) {
    super(scope, id);
    if (choice.kind === 'existing') {
      this.secret = Secret.fromSecretCompleteArn(this, 'Secret', choice.secretArn);
      this.kmsKeyArn = choice.kmsKeyArn;
    } else {
      this.kmsKeyArn = encryption?.kmsKeyArn;
      this.secret = this.generated(restoredUser);
    }
    this.username = this.secret.secretValueFromJson('username');
    this.password = this.secret.secretValueFromJson('password');
  }

  /**
   * The secret has no name, since the name of a deleted secret stays taken for days. It is not attached, since a secret
   * can only be attached to one database.
   */
  private generated(username: string): Secret {
    const secret = new Secret(this, 'Secret', {
      description: 'Master user of the databases of a pgduet experiment',
      ...(this.kmsKeyArn === undefined ? {} : { encryptionKey: Key.fromKeyArn(this, 'Key', this.kmsKeyArn) }),
      generateSecretString: {
        secretStringTemplate: JSON.stringify({ username }),
        generateStringKey: 'password',
        // 32 letters and digits: RDS refuses some punctuation, and a pgpass file would need the rest escaped.
        excludePunctuation: true,
        passwordLength: 32,
      },
    });
    Validations.of(secret).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason: 'The secret exists only as long as the experiment, and a rotation in mid-trial would break the trial.',
    });
    return secret;
  }
}
