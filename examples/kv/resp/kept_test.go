package resp

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/netreactor"
)

// one is a codec for one connection, whose decoder can be looked at.
type one struct{ *Decoder }

func (o one) ForConnection() netreactor.Codec[Command, Reply] { return o.Decoder }

// Who has sent a command of many arguments once does not keep the memory for it.
func TestLongCommandIsLetGo(t *testing.T) {
	for name, text := range map[string]string{
		"array":  fmt.Sprintf("*%d\r\n%s", MaxArgs, strings.Repeat("$1\r\na\r\n", MaxArgs)),
		"line":   strings.Repeat("a ", maxLine/2-1) + "\r\n",
		"quotes": strings.Repeat("'' ", maxLine/3-1) + "\r\n",
	} {
		var d Decoder
		server, err := netreactor.Bind(t.Context(), "127.0.0.1:0", one{&d}, func(c *netreactor.Conn[Command, Reply]) reactor.Publisher[Reply] {
			return c.Inbound().Map(func(c Command) Reply { return Int(int64(len(c.Args))) })
		})
		require.NoError(t, err)
		client, err := net.Dial("tcp", server.Addr().String())
		require.NoError(t, err)
		_, err = client.Write([]byte(text))
		require.NoError(t, err)
		line, err := bufio.NewReader(client).ReadString('\n')
		require.NoError(t, err)
		assert.Greater(t, len(line), len(":1000\r\n"), name)
		client.Close()
		_, err = server.Shutdown(t.Context()) // nobody decodes any more
		require.NoError(t, err)
		assert.LessOrEqual(t, cap(d.spans), maxKept, name)
		assert.LessOrEqual(t, cap(d.args), maxKept, name)
		assert.Zero(t, cap(d.words), name)
	}
}
