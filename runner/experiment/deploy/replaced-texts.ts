/**
 * What a deploy would replace by something else: CloudFormation puts the value of a secret or parameter where it finds a
 * dynamic reference, and CDK puts another resource's attribute where it finds a token. `${` is a substitution, which is refused
 * outside of Fn::Sub.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/dynamic-references.html
 */
const replaced = /\{\{resolve:|\$\{|#\{Token\[/;

/** The texts of an experiment, its names included, that would not arrive as they are, each in words. */
export function replacedTexts(value: unknown, path: readonly string[] = []): string[] {
  if (typeof value === 'string') {
    const found = replaced.exec(value)?.[0];
    return found === undefined ? [] : [`${path.join('.')} holds ${found}, which a deploy would replace; leave it out`];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    ...replacedTexts(key, [...path, key]),
    ...replacedTexts(inner, [...path, key]),
  ]);
}
