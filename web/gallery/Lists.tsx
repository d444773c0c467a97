import { IconButton } from '../src/ui/Button.tsx';
import { Choice } from '../src/ui/Choice.tsx';
import { PagedList } from '../src/ui/PagedList.tsx';
import { Table, Who } from '../src/ui/Table.tsx';
import { arabic, longText, longWord, Part } from './Part.tsx';

const refetch = () => Promise.resolve();
const whole = { error: null, refetch };
const members = ['Ines Albrecht', longWord, arabic];
const line = (item: string) => <li key={item}>{item}</li>;

export function Lists() {
  return (
    <>
      <Part title="Table" isWide>
        <Table label="Members" heads={['Member', 'Role', 'Last seen', 'Tools']}>
          {members.map((name) => (
            <tr key={name}>
              <td>
                <Who name={name} detail={`${name.length}@radwerk.example`} face={{ name, of: name }} />
              </td>
              <td>
                <Choice aria-label={`Role of ${name}`} options={[['agent', 'Agent']]} />
              </td>
              <td>2 days ago</td>
              <td>
                <IconButton icon="more" aria-label={`More about ${name}`} />
              </td>
            </tr>
          ))}
        </Table>
      </Part>
      <Part title="PagedList" isWide>
        <PagedList label="Loading" none="" source={{ ...whole, data: undefined }}>
          {line}
        </PagedList>
        <PagedList label="Empty" none="No keys yet." source={{ ...whole, data: [] }}>
          {line}
        </PagedList>
        <PagedList label="Failed" none="" source={{ data: undefined, error: new TypeError('failed'), refetch }}>
          {line}
        </PagedList>
        <PagedList
          label="With a next page"
          none=""
          more="Show more"
          source={{ ...whole, data: ['The first key', longText], hasNextPage: true }}
        >
          {line}
        </PagedList>
        <PagedList
          label="While the next page comes"
          none=""
          more="Show more"
          source={{ ...whole, data: ['The first key'], hasNextPage: true, isFetchingNextPage: true }}
        >
          {line}
        </PagedList>
      </Part>
    </>
  );
}
